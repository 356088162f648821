// SPDX-License-Identifier: Apache-2.0
#include "results/result_file.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_input.hpp"

namespace epochcast {
namespace {

NotForecast read_not_forecast(JsonInput input) {
  NotForecast missing;
  missing.strategy = input.at("strategy").string();
  const JsonInput point = input.at("point");
  if (point.value() != "") missing.point = point.string();
  for (const JsonInput& problem : input.at("problems").elements())
    missing.problems.push_back(problem.string());
  input.finish();
  return missing;
}

/// Reports a run without epochs, samples or seconds, which cannot be compared.
void check_has_run(const RunResult& run, const std::string& path, Problems& problems) {
  if (run.epoch_s <= 0) problems.add(path + "/epoch_s", "got 0; expected more than 0 s");
  if (run.epochs <= 0) problems.add(path + "/epochs", "got 0; expected one epoch at least");
  for (const auto& [key, count] : {std::pair("samples_per_epoch", run.samples_per_epoch),
                                   std::pair("train_samples", run.train_samples)}) {
    if (count <= 0) problems.add(path + "/" + key, "got 0; expected one sample at least");
  }
}

}  // namespace

nlohmann::ordered_json to_json(const NotForecast& missing) {
  return {{"strategy", missing.strategy}, {"point", missing.point}, {"problems", missing.problems}};
}

ResultFile read_results(const nlohmann::ordered_json& document, const std::string& file) {
  Problems problems(file);
  const nlohmann::json unordered = document;  // the type that JsonInput reads
  JsonInput top = open_document(unordered, kResultSchema, problems);
  ResultFile result;
  const JsonInput runs = top.at("runs");
  const std::size_t count = runs.elements(1).size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string path = "/runs/" + std::to_string(i);
    const std::size_t before = problems.size();
    result.runs.push_back(read_run(document["runs"][i], path, problems));
    if (problems.size() == before) check_has_run(result.runs.back(), path, problems);
  }
  if (const auto missing = top.maybe("not_forecast")) {
    for (const JsonInput& one : missing->elements())
      result.not_forecast.push_back(read_not_forecast(one));
  }
  static_cast<void>(top.maybe("pareto_front"));  // follows from the runs
  result.command = read_provenance(top.at("provenance"), true).command;
  top.finish();
  problems.throw_if_any();
  return result;
}

}  // namespace epochcast
