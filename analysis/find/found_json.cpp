// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/found_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json/or_null.hpp"
#include "base/text/shell_text.hpp"
#include "results/result.hpp"
#include "strategies/learning.hpp"
#include "strategies/run_name.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

nlohmann::ordered_json tried_json(const FoundValue& answer, const TriedValue& tried) {
  auto figures = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < answer.conditions.size(); ++i)
    figures[answer.conditions[i]->text] = or_null(tried.figures[i]);
  return {{"text", tried.text},
          {"value", tried.value},
          {"figures", std::move(figures)},
          {"run", tried.run ? to_json(*tried.run) : nlohmann::ordered_json()},
          {"problems", tried.problems}};
}

nlohmann::ordered_json maybe_json(const FoundValue& answer,
                                  const std::optional<TriedValue>& tried) {
  return tried ? tried_json(answer, *tried) : nlohmann::ordered_json();
}

}  // namespace

std::string command_of(const FoundValue& answer) {
  return answer.found ? shell_text(command_words(answer.found->config, Command::simulate))
                      : std::string();
}

std::string compared_with(const std::vector<FoundValue>& answers) {
  std::vector<std::string> names;
  for (const FoundValue& answer : answers) {
    for (const Condition* condition : answer.conditions) {
      if (condition->baseline.empty()) continue;
      std::string name =
          condition->baseline + (answer.overlaps ? " with overlap" : " without overlap");
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string held_for(const std::vector<FoundValue>& answers) {
  std::vector<const RunResult*> found;
  std::vector<const RunResult*> closest;
  for (const FoundValue& answer : answers) {
    if (answer.found && answer.found->run) found.push_back(&*answer.found->run);
    if (answer.best && answer.best->run) closest.push_back(&*answer.best->run);
  }
  return held_for(found.empty() ? closest : found);
}

nlohmann::ordered_json to_json(const FindRequest& request,
                               const std::vector<FoundValue>& answers,
                               const std::string& command) {
  auto where = nlohmann::ordered_json::array();
  for (const Condition& condition : request.conditions) where.push_back(condition.text);
  nlohmann::ordered_json json = {
      {"name", request.name},
      {"over",
       request.over.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(request.over)},
      {"wants", request.wants_largest ? "largest" : "smallest"},
      {"where", std::move(where)},
      {"holds_for", held_for(answers)},
      {"compared_with", compared_with(answers)},
      {"answers", nlohmann::ordered_json::array()}};
  for (const FoundValue& answer : answers) {
    const auto& tried = answer.found ? answer.found : answer.best;
    const bool has_run = tried && tried->run;
    json["answers"].push_back(
        {{"strategy", answer.strategy},
         {"name",
          has_run ? run_name(*tried->run) : answer.strategy + (answer.overlaps ? ", overlap" : "")},
         {"not_ranked", has_run ? why_not_ranked(*tried->run) : std::string()},
         {"overlap", answer.overlaps},
         {"over",
          answer.point.empty() ? nlohmann::ordered_json()
                               : nlohmann::ordered_json(answer.point.front().value)},
         {"found", maybe_json(answer, answer.found)},
         {"before", maybe_json(answer, answer.before)},
         {"bounds", or_null(answer.bounds)},
         {"closest", maybe_json(answer, answer.best)},
         {"is_monotone", answer.is_monotone},
         {"looked", answer.looked},
         {"command", command_of(answer)}});
  }
  return result_document(kFoundSchema, std::move(json), {.command = command});
}

}  // namespace epochcast
