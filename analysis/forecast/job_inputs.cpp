// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/job_inputs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "core/job/chosen_dataset.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string content_of(const fs::path& file) { return checksum_of_file(file, kDataFile); }

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// For every file below a folder; links to folders are followed, cycles are not.
void add_marks(Json& marks, const fs::path& folder, std::set<fs::path>& seen) {
  std::error_code error;
  if (!seen.insert(fs::canonical(folder, error)).second || error) return;
  std::vector<fs::path> entries;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error))
    entries.push_back(entry->path());
  if (error) throw UserError("--data: " + folder.string() + ": " + error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry, error)) {
      add_marks(marks, entry, seen);
    } else {
      marks.push_back(mark_of(entry));
    }
  }
}

Json marks_in(const std::string& data) {
  Json marks = Json::array();
  std::set<fs::path> seen;
  if (fs::is_directory(data)) {
    add_marks(marks, data, seen);
  } else {
    marks.push_back(mark_of(data));
  }
  return marks;
}

}  // namespace

Json job_inputs(const JobConfig& config,
                Command command,
                const std::vector<CostTrace>& traces,
                const Catalog& catalog) {
  Json inputs = {{"settings", Json::object()}, {"traces", Json::array()}};
  for (const SettingText& setting : all_settings().texts(config, in(command)))
    inputs["settings"][setting.name] = setting.value;
  const auto add = [&](const char* what, const char* folder, const std::string& name) {
    inputs[what] = content_of(catalog.find(folder, name, std::string("--") + what));
  };
  if (command != Command::train) add("platform", "models/platforms", config.platform);
  add("network", "models/networks", config.network);
  const fs::path dataset = dataset_place(config, catalog);
  inputs["dataset"] = fs::is_directory(dataset) ? marks_in(dataset) : Json(content_of(dataset));
  for (const CostTrace& trace : traces) inputs["traces"].push_back(content_of(trace.file));
  const bool learns = (in(command)&kLearning) != 0;
  const std::string data = chosen_data(config);
  if (learns && data != "procedural") inputs["data"] = marks_in(data);
  if (learns && !config.learning.pretrained.empty())
    inputs["pretrained"] = mark_of(config.learning.pretrained);
  return inputs;
}

Json mark_of(const fs::path& file) {
  std::error_code unknown;
  Json mark = {{"path", fs::weakly_canonical(file, unknown).string()}};
  struct stat status = {};
  if (stat(file.c_str(), &status) != 0) return mark;
  mark["bytes"] = status.st_size;
  mark["changed_ns"] = {nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
  return mark;
}

}  // namespace epochcast
