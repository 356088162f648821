// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analysis/compare/comparison.hpp"

namespace epochcast {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson number_or_null(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

OrderedJson run_json(const ComparedRun& run) {
  OrderedJson json = {{"time_s", run.time_s}, {"interval", nullptr}};
  if (run.interval) json["interval"] = {run.interval->low_s, run.interval->high_s};
  json["compute_s"] = run.phases.compute_s;
  json["exposed_communication_s"] = run.phases.exposed_communication_s;
  json["blocked_s"] = run.phases.blocked_s;
  json["intra_node_bytes"] = run.intra_node_bytes;
  json["inter_node_bytes"] = run.inter_node_bytes;
  json["cost"] = number_or_null(run.cost);
  json["energy_j"] = number_or_null(run.energy_j);
  return json;
}

OrderedJson differences_json(const std::vector<InputDifference>& differences) {
  OrderedJson json = OrderedJson::array();
  for (const InputDifference& each : differences)
    json.push_back({{"name", each.name}, {"a", each.a}, {"b", each.b}, {"of", each.of}});
  return json;
}

}  // namespace

OrderedJson to_json(const Comparison& comparison, const std::string& command) {
  OrderedJson json = {{"schema", "epochcast.comparison/1"},
                      {"a", comparison.a},
                      {"b", comparison.b},
                      {"currency", comparison.currency},
                      {"pairs", OrderedJson::array()}};
  for (const ComparedPair& pair : comparison.pairs) {
    json["pairs"].push_back({{"name", pair.name},
                             {"shown", pair.shown},
                             {"not_ranked", pair.not_ranked},
                             {"slower", pair.slower()},
                             {"is_significant", nullptr},
                             {"largest_part", pair.largest_part()},
                             {"costlier", number_or_null(pair.costlier())},
                             {"more_energy", number_or_null(pair.more_energy())},
                             {"more_bytes", number_or_null(pair.more_bytes())},
                             {"a", run_json(pair.a)},
                             {"b", run_json(pair.b)}});
    if (const auto is_significant = pair.is_significant())
      json["pairs"].back()["is_significant"] = *is_significant;
  }
  json["only_a"] = comparison.only_a;
  json["only_b"] = comparison.only_b;
  json["settings"] = differences_json(comparison.settings);
  json["figures"] = differences_json(comparison.figures);
  json["notes"] = comparison.notes;
  json["provenance"] = {{"program", "epochcast " EPOCHCAST_VERSION}, {"command", command}};
  return json;
}

}  // namespace epochcast
