// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/forecast_files.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/forecast/job_inputs.hpp"
#include "base/files/cache_folder.hpp"
#include "base/files/checksum.hpp"
#include "base/files/file_draft.hpp"
#include "base/files/sealed_file.hpp"
#include "base/files/text_file.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kForecastSchema = "epochcast.kept-forecast/1";

}  // namespace

ForecastFiles::ForecastFiles(const fs::path& folder, const Catalog& catalog)
    : folder_(made(folder)), catalog_(catalog), locks_(folder) {}

std::string ForecastFiles::key_of(const ForecastTask& task, const Job& job) const {
  nlohmann::json estimates = nlohmann::json::array();
  for (const fs::path& file : job.estimates.files())
    estimates.push_back(checksum_of_file(file, kDataFile));
  const nlohmann::json content = {
      {"version", program_version()},
      {"program", mark_of(fs::read_symlink("/proc/self/exe"))},
      {"estimates", std::move(estimates)},
      {"strategy", task.strategy},
      {"job", job_inputs(task.config, Command::simulate, job.traces, catalog_)}};
  return checksum(content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

fs::path ForecastFiles::file_of(const std::string& key) const {
  return folder_ / (key + ".forecast");
}

std::optional<TaskAnswer> ForecastFiles::read(const std::string& key) const {
  const fs::path file = file_of(key);
  if (!fs::exists(file)) return std::nullopt;
  try {
    const SealedFile sealed = unseal(kForecastSchema, file, read_text_file(file, kSamplesFile));
    TaskAnswer answer = {.text = sealed.header.at("run"), .problems = sealed.header.at("problems")};
    if (!answer.problems.empty()) answer.ending = Ending::bad_input;
    return answer;
  } catch (const std::runtime_error&) {
    return std::nullopt;  // computed again
  }
}

void ForecastFiles::write(const std::string& key, const TaskAnswer& answer) const {
  const nlohmann::ordered_json json = {{"run", answer.text}, {"problems", answer.problems}};
  replace_file(file_of(key), seal(kForecastSchema, file_of(key), json).line);
}

}  // namespace epochcast
