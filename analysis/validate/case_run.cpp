// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/case_run.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/forecast/job_inputs.hpp"
#include "analysis/validate/cluster_commands.hpp"
#include "base/error.hpp"
#include "base/files/file_draft.hpp"
#include "base/files/text_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunFile = "run.json";

/// The run that a program's output reports. Throws a RunError if it is of another case.
RunResult reported_run(const std::string& text, const ValidationCase& one, const fs::path& log) {
  const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("runs") || !document["runs"].is_array() ||
      document["runs"].size() != 1)
    throw RunError(log.string() + ": the run has reported no result");
  Problems problems(log.string());
  RunResult run = read_run(document["runs"].front(), "/runs/0", problems);
  if (!problems.empty()) throw RunError(log.string() + ": the run's report is not valid");
  if (run.strategy != one.config.strategy)
    throw RunError(log.string() + ": the run was one of " + run.strategy + ", not of " +
                   one.config.strategy);
  return run;
}

}  // namespace

RunResult run_case(const ClusterRunner& runner,
                   const ValidationCase& one,
                   std::size_t repetition,
                   const std::vector<std::string>& more_words,
                   const KeptResults& kept,
                   const Catalog& catalog) {
  JobConfig config = one.config;
  config.platform_figures.clear();  // of the machines that are there
  config.seed = repetition + 1;
  std::vector<CostTrace> traces;
  if (one.command == Command::train) {
    config.machine.ranks = one.cluster.ranks;
  } else {
    traces = load_job(config, catalog).traces;
  }
  std::vector<std::string> words = run_words(one.command, config);
  words.insert(words.end(), more_words.begin(), more_words.end());
  const nlohmann::json subject = {{"place", runner.place({"epochcast-run", "epochcast-measure"})},
                                  {"command", words},
                                  {"inputs", job_inputs(config, one.command, traces, catalog)},
                                  {"repetition", repetition}};
  std::optional<RunResult> run;
  const fs::path folder =
      kept.get(words.front() + "-" + config.strategy + "-" + std::to_string(repetition + 1),
               subject,
               [&](const fs::path& draft) {
                 const fs::path log = draft / "run.log";
                 const std::string output = runner.output_of(words, log);
                 run = reported_run(output, one, log);
                 replace_file(draft / kRunFile, output);
               });
  if (run) return *run;
  const fs::path file = folder / kRunFile;
  return reported_run(read_text_file(file, kSamplesFile), one, file);
}

}  // namespace epochcast
