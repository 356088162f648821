// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/kept_results.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/file_draft.hpp"
#include "base/files/text_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kManifest = "kept.json";
constexpr const char* kSchema = "epochcast.kept/1";

/// External texts may be invalid UTF-8.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// The checksum of every file but the manifest, by name.
std::map<std::string, std::string> checksums_in(const fs::path& folder) {
  std::map<std::string, std::string> checksums;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kManifest)
      checksums[name] = checksum(read_text_file(entry.path(), kDataFile));
  }
  return checksums;
}

/// Null if it is damaged.
Json manifest_in(const fs::path& folder) {
  Json manifest = Json::parse(read_text_file(folder / kManifest, kSamplesFile), nullptr, false);
  if (!manifest.is_object() || manifest.value("schema", Json()) != kSchema ||
      !manifest.contains("of") || !manifest.value("files", Json()).is_object())
    return nullptr;
  return manifest;
}

/// Why a folder is not an intact result of `subject` (null: of anything); "" if it is.
std::string damage_of(const fs::path& folder, const Json& subject) {
  if (!fs::is_regular_file(folder / kManifest)) return std::string(kManifest) + " is missing";
  const Json manifest = manifest_in(folder);
  if (manifest.is_null()) return std::string(kManifest) + " is damaged";
  if (!subject.is_null() && text_of(manifest["of"]) != text_of(subject))
    return "is of something else";
  const std::map<std::string, std::string> found = checksums_in(folder);
  for (const auto& [name, expected] : manifest["files"].items()) {
    const auto known = found.find(name);
    if (known == found.end()) return name + " is missing";
    if (expected != known->second) return name + " is damaged: its checksum is wrong";
  }
  return "";
}

}  // namespace

KeptResults::KeptResults(fs::path folder, Notes note)
    : folder_(std::move(folder)), note_(std::move(note)), lock_(folder_ / "lock") {
  if (lock_.try_lock(0) == LockFile::Answer::taken)
    throw UserError(folder_.string() + ": another call is at work there; expected a folder of one");
}

fs::path KeptResults::get(const std::string& prefix,
                          const Json& subject,
                          const std::function<void(const fs::path&)>& make) const {
  fs::path place = folder_ / (prefix + "-" + checksum(text_of(subject)));
  if (fs::exists(place)) {
    const std::string damage = damage_of(place, subject);
    if (damage.empty()) return place;
    note_(place.string() + ": " + damage + "; made again");
  }
  const fs::path draft = place.string() + ".part";
  fs::remove_all(draft);
  fs::create_directory(draft);
  make(draft);
  const Json manifest = {{"schema", kSchema}, {"of", subject}, {"files", checksums_in(draft)}};
  replace_file(draft / kManifest, text_of(manifest, 2) + "\n");
  fs::remove_all(place);
  fs::rename(draft, place);
  return place;
}

std::vector<KeptResult> kept_results(const fs::path& folder, const std::string& prefix) {
  std::vector<KeptResult> results;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& place = entry.path();
    if (!entry.is_directory() || !place.filename().string().starts_with(prefix) ||
        place.extension() == ".part" || !damage_of(place, nullptr).empty())
      continue;
    results.push_back({.folder = place, .subject = manifest_in(place)["of"]});
  }
  std::sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return a.folder < b.folder;
  });
  return results;
}

}  // namespace epochcast
