// SPDX-License-Identifier: Apache-2.0
#include "core/costs/message_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

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

/// A number from 0 to `most`, which is 1 at most.
double read_up_to(const JsonInput& input, double most) {
  const nlohmann::json& value = input.value();
  if (value.is_number() && value >= 0 && value <= most) return value.get<double>();
  input.fail("a number from 0 to 1, such as 0.02");
  return 0;
}

/// Where two lines cross within (from, to); nothing if they do not.
std::optional<double> crossing(const MessageRegime& a,
                               const MessageRegime& b,
                               double from,
                               double to) {
  const double slopes = 1 / a.bytes_per_s - 1 / b.bytes_per_s;
  if (slopes == 0) return std::nullopt;
  const double bytes = (b.latency_s - a.latency_s) / slopes;
  if (!(bytes > from && bytes < to)) return std::nullopt;
  return bytes;
}

}  // namespace

const MessageRegime& MessageCosts::regime(double bytes) const {
  const auto after = std::upper_bound(
      regimes.begin() + 1, regimes.end(), bytes, [](double size, const MessageRegime& regime) {
        return size < regime.from_bytes;
      });
  return *(after - 1);
}

MessageCosts slower_of(const MessageCosts& a, const MessageCosts& b) {
  MessageCosts slower = a;
  slower.uncertainty = std::max(a.uncertainty, b.uncertainty);
  slower.barrier_round_s = std::max(a.barrier_round_s, b.barrier_round_s);
  slower.turns_share = std::max(a.turns_share, b.turns_share);
  slower.turns_from_bytes = std::min(a.turns_from_bytes, b.turns_from_bytes);
  for (const std::string& note : b.notes) {
    if (std::find(a.notes.begin(), a.notes.end(), note) == a.notes.end())
      slower.notes.push_back(note);
  }
  std::set<double> breakpoints;
  for (const MessageCosts* costs : {&a, &b}) {
    for (const MessageRegime& regime : costs->regimes) breakpoints.insert(regime.from_bytes);
  }
  // Between two breakpoints there are two lines, which cross once at most.
  for (auto from = breakpoints.begin(); from != breakpoints.end(); ++from) {
    const double to = std::next(from) == breakpoints.end() ? std::numeric_limits<double>::infinity()
                                                           : *std::next(from);
    // What has just been inserted begins where both lines are the same.
    if (const auto bytes = crossing(a.regime(*from), b.regime(*from), *from, to))
      breakpoints.insert(*bytes);
  }
  slower.regimes.clear();
  for (auto from = breakpoints.begin(); from != breakpoints.end(); ++from) {
    const double inside =
        std::next(from) == breakpoints.end() ? 2 * *from + 1 : 0.5 * (*from + *std::next(from));
    const bool is_a = a.message_s(inside) >= b.message_s(inside);
    MessageRegime regime = (is_a ? a : b).regime(inside);
    regime.from_bytes = *from;
    const auto is_same = [&regime](const MessageRegime& other) {
      return other.latency_s == regime.latency_s && other.bytes_per_s == regime.bytes_per_s;
    };
    if (slower.regimes.empty() || !is_same(slower.regimes.back())) slower.regimes.push_back(regime);
  }
  return slower;
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
  if (std::isfinite(costs.turns_from_bytes))
    json["turns"] = quantity_text(costs.turns_from_bytes, Dimension::bytes);
  if (costs.turns_share < 1) json["turns_share"] = costs.turns_share;
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
  if (const auto uncertainty = input.maybe("uncertainty"))
    costs.uncertainty = read_up_to(*uncertainty, kMostUncertainty);
  if (const auto barrier = input.maybe("barrier"))
    costs.barrier_round_s = barrier->quantity(Dimension::seconds, true);
  if (const auto turns = input.maybe("turns"))
    costs.turns_from_bytes = turns->quantity(Dimension::bytes, true);
  if (const auto share = input.maybe("turns_share")) costs.turns_share = read_up_to(*share, 1);
  if (const auto notes = input.maybe("notes")) {
    for (const JsonInput& note : notes->elements()) costs.notes.push_back(note.string());
  }
  input.finish();
  return costs;
}

}  // namespace epochcast
