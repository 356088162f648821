// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/compare/comparison.hpp"
#include "base/json/or_null.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson run_json(const ComparedRun& run) {
  OrderedJson json = {{"time_s", run.time_s}, {"interval", interval_json(run.interval)}};
  put_phases(json, run.phases);
  json["intra_node_bytes"] = run.intra_node_bytes;
  json["inter_node_bytes"] = run.inter_node_bytes;
  json["cost"] = or_null(run.cost);
  json["energy_j"] = or_null(run.energy_j);
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
  OrderedJson json = {{"a", comparison.a},
                      {"b", comparison.b},
                      {"currency", comparison.currency},
                      {"pairs", OrderedJson::array()}};
  for (const ComparedPair& pair : comparison.pairs) {
    json["pairs"].push_back({{"name", pair.name},
                             {"shown", pair.shown},
                             {"not_ranked", pair.not_ranked},
                             {"slower", pair.slower()},
                             {"is_significant", or_null(pair.is_significant())},
                             {"largest_part", pair.largest_part()},
                             {"costlier", or_null(pair.costlier())},
                             {"more_energy", or_null(pair.more_energy())},
                             {"more_bytes", or_null(pair.more_bytes())},
                             {"a", run_json(pair.a)},
                             {"b", run_json(pair.b)}});
  }
  json["only_a"] = comparison.only_a;
  json["only_b"] = comparison.only_b;
  json["settings"] = differences_json(comparison.settings);
  json["figures"] = differences_json(comparison.figures);
  json["notes"] = comparison.notes;
  return result_document(kComparisonSchema, std::move(json), {.command = command});
}

}  // namespace epochcast
