// SPDX-License-Identifier: Apache-2.0
#include "core/costs/message_costs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace epochcast {
namespace {

MessageRegime read_regime(JsonInput input) {
  const MessageRegime regime = {
      .from_bytes = input.at("from").quantity(Dimension::bytes, true),
      .latency_s = input.at("latency").quantity(Dimension::seconds, true),
      .bytes_per_s = input.at("bandwidth").quantity(Dimension::bytes_per_s)};
  input.finish();
  return regime;
}

}  // namespace

const MessageRegime& MessageCosts::regime(double bytes) const {
  const auto after = std::upper_bound(
      regimes.begin() + 1, regimes.end(), bytes, [](double size, const MessageRegime& regime) {
        return size < regime.from_bytes;
      });
  return *(after - 1);
}

nlohmann::ordered_json to_json(const MessageCosts& costs) {
  nlohmann::ordered_json regimes = nlohmann::ordered_json::array();
  for (const MessageRegime& regime : costs.regimes) {
    regimes.push_back({{"from", quantity_text(regime.from_bytes, Dimension::bytes)},
                       {"latency", quantity_text(regime.latency_s, Dimension::seconds)},
                       {"bandwidth", quantity_text(regime.bytes_per_s, Dimension::bytes_per_s)}});
  }
  nlohmann::ordered_json json = {
      {"regimes", std::move(regimes)},
      {"uncertainty", costs.uncertainty},
      {"barrier", quantity_text(costs.barrier_round_s, Dimension::seconds)}};
  if (!costs.notes.empty()) json["notes"] = costs.notes;
  return json;
}

MessageCosts read_message_costs(JsonInput input) {
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
  if (const auto uncertainty = input.maybe("uncertainty")) {
    const nlohmann::json& value = uncertainty->value();
    if (value.is_number() && value >= 0 && value <= kMostUncertainty) {
      costs.uncertainty = value.get<double>();
    } else {
      uncertainty->fail("a number from 0 to 1, such as 0.02");
    }
  }
  if (const auto barrier = input.maybe("barrier"))
    costs.barrier_round_s = barrier->quantity(Dimension::seconds, true);
  if (const auto notes = input.maybe("notes")) {
    for (const JsonInput& note : notes->elements()) costs.notes.push_back(note.string());
  }
  input.finish();
  return costs;
}

}  // namespace epochcast
