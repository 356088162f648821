// SPDX-License-Identifier: Apache-2.0
#include "core/formats/message_costs_format.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/older_version.hpp"

namespace epochcast {
namespace {

constexpr std::int64_t kMostMeasuredRanks = 1'000'000;

MessageRegime read_regime(JsonInput input) {
  const MessageRegime regime = {
      .from_bytes = input.at("from").quantity(Dimension::bytes, true),
      .latency_s = input.at("latency").quantity(Dimension::seconds, true),
      .bytes_per_s = input.at("bandwidth").quantity(Dimension::bytes_per_s)};
  input.finish();
  return regime;
}

/// A number from 0 to `most`, which is 1 at most.
double read_up_to(const JsonInput& input, double most) {
  const nlohmann::json& value = input.value();
  if (value.is_number() && value >= 0 && value <= most) return value.get<double>();
  input.fail("a number from 0 to 1, such as 0.02");
  return 0;
}

MeasuredAllReduce read_all_reduce(JsonInput input) {
  MeasuredAllReduce all_reduce = {.algorithm = input.at("algorithm").identifier(),
                                  .bytes = input.at("bytes").quantity(Dimension::bytes),
                                  .measured_s = input.at("measured").quantity(Dimension::seconds),
                                  .forecast_s = input.at("forecast").quantity(Dimension::seconds)};
  if (const auto ranks = input.maybe("ranks"))
    all_reduce.ranks = static_cast<int>(ranks->integer(2, kMostMeasuredRanks));
  if (const auto deviation = input.maybe("deviation"))
    all_reduce.deviation = read_up_to(*deviation, kMostUncertainty);
  if (const auto extrapolated = input.maybe("extrapolated"))
    all_reduce.is_extrapolated = extrapolated->boolean();
  input.finish();
  return all_reduce;
}

MeasuredOn read_measured_on(JsonInput input) {
  const MeasuredOn measured_on = {
      .nodes = static_cast<int>(input.at("nodes").integer(1, kMostMeasuredRanks)),
      .ranks_per_node =
          static_cast<int>(input.at("ranks_per_node").integer(1, kMostMeasuredRanks))};
  input.finish();
  return measured_on;
}

/// A part that only older versions wrote; empty if there is none.
std::string older_part(JsonInput& input) {
  std::string key = older_key(input, {"turns", "pairwise", "one_way", "barrier", "meeting"});
  const auto all_reduces = input.maybe("all_reduces");
  if (!key.empty() || !all_reduces || !all_reduces->value().is_array()) return key;
  for (const JsonInput& each : all_reduces->elements()) {
    std::string old = older_key(each, {"member_share", "measured_late"});
    if (!old.empty()) return old;
  }
  return {};
}

}  // namespace

nlohmann::ordered_json to_json(const MessageCosts& costs) {
  nlohmann::ordered_json regimes = nlohmann::ordered_json::array();
  for (const MessageRegime& regime : costs.regimes) {
    regimes.push_back({{"from", quantity_text(regime.from_bytes, Dimension::bytes)},
                       {"latency", quantity_text(regime.latency_s, Dimension::seconds)},
                       {"bandwidth", quantity_text(regime.bytes_per_s, Dimension::bytes_per_s)}});
  }
  nlohmann::ordered_json json = {{"regimes", std::move(regimes)},
                                 {"uncertainty", costs.uncertainty}};
  for (const MeasuredAllReduce& each : costs.all_reduces) {
    nlohmann::ordered_json measured = {
        {"algorithm", each.algorithm},
        {"bytes", quantity_text(each.bytes, Dimension::bytes)},
        {"measured", quantity_text(each.measured_s, Dimension::seconds)},
        {"forecast", quantity_text(each.forecast_s, Dimension::seconds)}};
    if (each.ranks > 0) measured["ranks"] = each.ranks;
    if (each.deviation > 0) measured["deviation"] = each.deviation;
    if (each.is_extrapolated) measured["extrapolated"] = true;
    json["all_reduces"].push_back(std::move(measured));
  }
  if (costs.measured_on) {
    json["measured_on"] = {{"nodes", costs.measured_on->nodes},
                           {"ranks_per_node", costs.measured_on->ranks_per_node}};
  }
  if (!costs.notes.empty()) json["notes"] = costs.notes;
  return json;
}

MessageCosts read_message_costs(JsonInput input) {
  const std::string part = older_part(input);
  if (!part.empty()) {
    input.problem(older_version(part, "measure messages and calibrate again"));
    return {.regimes = {{}}};
  }
  MessageCosts costs;
  JsonInput regimes = input.at("regimes");
  for (const JsonInput& regime : regimes.elements(1)) costs.regimes.push_back(read_regime(regime));
  if (costs.regimes.empty()) costs.regimes.emplace_back();
  if (costs.regimes.front().from_bytes != 0) regimes.problem("the first must be \"from\": \"0B\"");
  const bool is_ascending =
      std::is_sorted(costs.regimes.begin(), costs.regimes.end(), [](const auto& a, const auto& b) {
        return a.from_bytes <= b.from_bytes;
      });
  if (!is_ascending) regimes.problem("\"from\" must ascend");
  if (const auto uncertainty = input.maybe("uncertainty"))
    costs.uncertainty = read_up_to(*uncertainty, kMostUncertainty);
  if (const auto all_reduces = input.maybe("all_reduces")) {
    for (const JsonInput& each : all_reduces->elements())
      costs.all_reduces.push_back(read_all_reduce(each));
  }
  if (const auto measured_on = input.maybe("measured_on"))
    costs.measured_on = read_measured_on(*measured_on);
  if (const auto notes = input.maybe("notes")) {
    for (const JsonInput& note : notes->elements()) costs.notes.push_back(note.string());
  }
  input.finish();
  return costs;
}

}  // namespace epochcast
