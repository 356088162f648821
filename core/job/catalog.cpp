// SPDX-License-Identifier: Apache-2.0
// Files that are known by name.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/job/described_model.hpp"
#include "core/job/job.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json") || name.ends_with(".xml") ||
         is_model_file(name);
}

/// The user's own folders without `root`, which is searched last in any case.
std::vector<fs::path> own_folders(const fs::path& root) {
  std::vector<fs::path> own;
  const auto add = [&](const fs::path& folder) {
    std::error_code unknown;
    if (!fs::equivalent(folder, root, unknown)) own.push_back(folder);
  };
  const char* listed = std::getenv("EPOCHCAST_PATH");
  std::istringstream folders(listed != nullptr ? listed : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    std::error_code unreadable;
    if (!fs::is_directory(folder, unreadable))
      throw UserError("EPOCHCAST_PATH: " + folder + ": no such folder");
    add(folder);
  }
  if (fs::is_directory("models") || fs::is_directory("traces")) add(".");
  return own;
}

}  // namespace

Catalog::Catalog(fs::path root, std::vector<fs::path> own)
    : root_(std::move(root)), own_(std::move(own)) {
  std::error_code unreadable;
  if (!fs::is_directory(root_ / "models", unreadable) ||
      !fs::is_directory(root_ / "traces", unreadable)) {
    throw UserError(
        root_.string() +
        ": has no models/ and traces/; set EPOCHCAST_DATA to the folder that holds them");
  }
}

Catalog Catalog::standard() {
  if (const char* given = std::getenv("EPOCHCAST_DATA")) return Catalog(given, own_folders(given));
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  fs::path root = (programs / EPOCHCAST_DATA_FROM_PROGRAMS).lexically_normal();
  for (const fs::path& beside : {programs / "share/epochcast", root}) {
    if (!fs::is_directory(beside / "models")) continue;
    root = fs::canonical(beside / "models").parent_path();
    break;
  }
  return Catalog(root, own_folders(root));
}

std::vector<std::string> Catalog::names(const std::string& folder) const {
  if (!fs::is_directory(root_ / folder)) {
    throw UserError((root_ / folder).string() +
                    ": no such folder; set EPOCHCAST_DATA to the folder that holds models/ and "
                    "traces/");
  }
  std::set<std::string> names;
  const auto add = [&](const fs::path& from) {
    if (!fs::is_directory(from)) return;
    for (const auto& entry : fs::directory_iterator(from)) {
      if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
    }
  };
  add(root_ / folder);
  for (const fs::path& own : own_) add(own / folder);
  return {names.begin(), names.end()};
}

fs::path Catalog::find(const std::string& folder,
                       const std::string& name,
                       const std::string& origin) const {
  if (name.empty()) {
    throw UserError(origin + ": missing; `epochcast list " +
                    folder.substr(folder.find_last_of('/') + 1) + "` lists them");
  }
  if (is_path(name)) {
    std::error_code unreadable;
    if (fs::exists(name, unreadable)) return name;
    throw UserError(origin + ": " + name + ": " +
                    (unreadable ? unreadable.message() : "no such file"));
  }
  std::error_code unreadable;  // such as a name that is too long
  for (const fs::path& own : own_) {
    if (fs::exists(own / folder / (name + ".json"), unreadable))
      return own / folder / (name + ".json");
  }
  const std::vector<std::string> known = names(folder);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    std::string kind = folder.substr(folder.find_last_of('/') + 1);
    kind.pop_back();  // models/platforms -> platform
    throw UserError(origin + ": " + unknown_name(kind, name, known));
  }
  return root_ / folder / (name + ".json");
}

}  // namespace epochcast
