// SPDX-License-Identifier: Apache-2.0
#include "analysis/rehearsal_key.hpp"

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <vector>

#include "core/text_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// Stands for a file's content where that may be large: path, size and time of the last change.
std::string mark_of(const fs::path& file) {
  std::error_code unknown;
  return fs::weakly_canonical(file, unknown).string() + " " +
         std::to_string(fs::file_size(file, unknown)) + " " +
         std::to_string(fs::last_write_time(file, unknown).time_since_epoch().count()) + "\n";
}

/// Of every file in a folder.
std::string marks_in(const fs::path& folder) {
  std::vector<std::string> marks;
  std::error_code unreadable;
  for (const auto& entry : fs::recursive_directory_iterator(folder, unreadable)) {
    if (entry.is_regular_file(unreadable)) marks.push_back(mark_of(entry.path()));
  }
  std::sort(marks.begin(), marks.end());
  std::string all;
  for (const std::string& mark : marks) all += mark;
  return all;
}

}  // namespace

JobConfig essential(JobConfig config) {
  if (config.strategy != "node-based") config.averaging_period.reset();
  if (!config.strategy.ends_with("local-sgd")) {
    config.local_steps = JobConfig().local_steps;
    config.local_steps_by_class.clear();
  }
  return config;
}

std::string rehearsal_key(const JobConfig& config,
                          const Job& job,
                          const Catalog& catalog,
                          const fs::path& program) {
  std::string content = "epochcast " EPOCHCAST_VERSION "\n" + mark_of(program);
  if (config.learning.data != "procedural") content += marks_in(config.learning.data);
  for (const SettingText& setting : setting_texts(config, in(Command::rehearse)))
    content += setting.name + "=" + setting.value + "\n";
  const auto add = [&](const char* folder, const std::string& name) {
    content += read_text_file(catalog.find(folder, name, folder));
  };
  add("models/platforms", config.platform);
  add("models/networks", config.network);
  add("models/datasets", config.dataset);
  for (const CostTrace& trace : job.traces) content += read_text_file(trace.file, kSamplesFile);
  const boost::uuids::name_generator_sha1 name(boost::uuids::ns::oid());
  return boost::uuids::to_string(name(content));
}

}  // namespace epochcast
