// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_key.hpp"

#include <nlohmann/json.hpp>

#include "analysis/forecast/job_inputs.hpp"
#include "analysis/forecast/this_machine.hpp"
#include "base/files/checksum.hpp"
#include "core/job/setting_text.hpp"
#include "rehearse/time/learning_settings.hpp"
#include "results/schema.hpp"

namespace epochcast {

std::string rehearsal_key(const JobConfig& config,
                          const Job& job,
                          const Catalog& catalog,
                          const std::filesystem::path& program) {
  std::vector<std::string> estimates;
  for (const std::filesystem::path& file : job.estimates.files())
    estimates.push_back(checksum_of_file(file, kDataFile));
  const nlohmann::json content = {
      {"version", program_version()},
      {"program", mark_of(program)},
      {"processor", processor_text()},
      {"estimates", estimates},
      {"job", job_inputs(config, Command::rehearse, job.traces, catalog)}};
  return checksum(content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string learning_key(const CostedJob& job,
                         const JobConfig& config,
                         const Catalog& catalog,
                         const std::filesystem::path& program) {
  nlohmann::json content = job_inputs(config, Command::train, {}, catalog);
  nlohmann::json settings = nlohmann::json::object();
  for (const SettingText& setting : learning_settings(config))
    settings[setting.name] = setting.value;
  content["settings"] = std::move(settings);
  content["numbers"] = show_name(precision_of_numbers(job).precision, kPrecisions);
  content["version"] = program_version();
  content["program"] = mark_of(program);
  content["processor"] = processor_text();
  return checksum(content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace epochcast
