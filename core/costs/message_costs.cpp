// SPDX-License-Identifier: Apache-2.0
#include "core/costs/message_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

namespace epochcast {
namespace {

constexpr std::int64_t kMostRanks = 1'000'000;

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

/// A number above 0, at most 1.
double read_part(const JsonInput& input) {
  const nlohmann::json& value = input.value();
  if (value.is_number() && value > 0 && value <= 1) return value.get<double>();
  input.fail("a number above 0 and at most 1, such as 0.93");
  return 1;
}

MeasuredAllReduce read_all_reduce(JsonInput input) {
  MeasuredAllReduce all_reduce = {.algorithm = input.at("algorithm").identifier(),
                                  .bytes = input.at("bytes").quantity(Dimension::bytes),
                                  .measured_s = input.at("measured").quantity(Dimension::seconds),
                                  .forecast_s = input.at("forecast").quantity(Dimension::seconds)};
  if (const auto ranks = input.maybe("ranks"))
    all_reduce.ranks = static_cast<int>(ranks->integer(2, kMostRanks));
  if (const auto deviation = input.maybe("deviation"))
    all_reduce.deviation = read_up_to(*deviation, kMostUncertainty);
  if (const auto extrapolated = input.maybe("extrapolated"))
    all_reduce.is_extrapolated = extrapolated->boolean();
  if (const auto share = input.maybe("member_share")) all_reduce.member_share = read_part(*share);
  if (const auto late = input.maybe("measured_late"))
    all_reduce.measured_late_s = late->quantity(Dimension::seconds);
  input.finish();
  return all_reduce;
}

MeasuredOn read_measured_on(JsonInput input) {
  const MeasuredOn measured_on = {
      .nodes = static_cast<int>(input.at("nodes").integer(1, kMostRanks)),
      .ranks_per_node = static_cast<int>(input.at("ranks_per_node").integer(1, kMostRanks))};
  input.finish();
  return measured_on;
}

MessageShare read_message_share(JsonInput input) {
  const MessageShare share = {.bytes = input.at("bytes").quantity(Dimension::bytes),
                              .share = read_part(input.at("share"))};
  input.finish();
  return share;
}

/// Those of one kind of exchange, by size.
std::vector<MessageShare> read_shares(const JsonInput& input) {
  std::vector<MessageShare> shares;
  for (const JsonInput& each : input.elements()) shares.push_back(read_message_share(each));
  const bool is_in_order =
      std::is_sorted(shares.begin(), shares.end(), [](const auto& a, const auto& b) {
        return a.bytes <= b.bytes;
      });
  if (!is_in_order) input.problem("\"bytes\" must ascend");
  return shares;
}

nlohmann::ordered_json shares_json(const std::vector<MessageShare>& shares) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const MessageShare& each : shares) {
    json.push_back({{"bytes", quantity_text(each.bytes, Dimension::bytes)}, {"share", each.share}});
  }
  return json;
}

/// What lies at `bytes`, by their logarithm, between values of points in the order of their bytes;
/// the first and the last one's value beyond them. 1 without points.
template <typename Point, typename Value>
double between_points(const std::vector<Point>& points, double bytes, Value value) {
  if (points.empty()) return 1;
  const auto above =
      std::lower_bound(points.begin(), points.end(), bytes, [](const Point& point, double size) {
        return point.bytes < size;
      });
  if (above == points.begin()) return value(*above);
  if (above == points.end()) return value(points.back());
  const Point& below = *(above - 1);
  return std::lerp(value(below),
                   value(*above),
                   std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes));
}

double share_at(const std::vector<MessageShare>& shares, double bytes) {
  return between_points(shares, bytes, [](const MessageShare& each) { return each.share; });
}

using Shares = std::vector<MessageShare> MessageCosts::*;

/// At each size that either has a share of, what `share_of` says.
template <typename ShareOf>
std::vector<MessageShare> shares_of_both(const MessageCosts& a,
                                         const MessageCosts& b,
                                         Shares shares,
                                         ShareOf share_of) {
  std::set<double> sizes;
  for (const MessageCosts* costs : {&a, &b}) {
    for (const MessageShare& each : costs->*shares) sizes.insert(each.bytes);
  }
  std::vector<MessageShare> both;
  both.reserve(sizes.size());
  for (const double bytes : sizes) both.push_back({.bytes = bytes, .share = share_of(bytes)});
  return both;
}

/// Those by this algorithm among so many ranks, by size.
std::vector<MeasuredAllReduce> alike(const std::vector<MeasuredAllReduce>& all,
                                     const std::string& algorithm,
                                     int ranks) {
  std::vector<MeasuredAllReduce> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const auto& each) {
    return each.algorithm == algorithm && each.ranks == ranks;
  });
  std::stable_sort(
      some.begin(), some.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return some;
}

}  // namespace

const MessageRegime& MessageCosts::regime(double bytes) const {
  const auto after = std::upper_bound(
      regimes.begin() + 1, regimes.end(), bytes, [](double size, const MessageRegime& regime) {
        return size < regime.from_bytes;
      });
  return *(after - 1);
}

double MessageCosts::share_of_turns(Turns turns, double bytes, double all_bytes) const {
  if (bytes < turns_from_bytes) return 0;
  switch (turns) {
    case Turns::nobody:
      return 0;
    case Turns::two_together:
      return turns_share_of_two_together;
    case Turns::two_in_a_row:
      return turns_in_a_row.empty() ? turns_share_of_two_together
                                    : share_at(turns_in_a_row, all_bytes);
    case Turns::two_one_late:
      return turns_one_late.empty() ? 1 : share_at(turns_one_late, all_bytes);
    case Turns::many_together:
    case Turns::many:
      return turns_share;
  }
  return 0;
}

double MessageCosts::share_of(Exchange kind, double bytes) const {
  return kind == Exchange::around ? 1 : load_of(kind, bytes) * share_at(pairwise, bytes);
}

double MessageCosts::load_of(Exchange kind, double bytes) const {
  return kind == Exchange::one_way ? share_at(one_way, bytes) : 1;
}

double MessageCosts::measured_factor(const std::string& all_reduce,
                                     double bytes,
                                     int ranks,
                                     Turns turns) const {
  return between_points(
      alike(all_reduces, all_reduce, ranks), bytes, [turns](const MeasuredAllReduce& each) {
        const bool is_late = turns == Turns::many && each.measured_late_s > 0;
        return (is_late ? each.measured_late_s : each.measured_s) / each.forecast_s;
      });
}

double MessageCosts::member_share(const std::string& all_reduce, double bytes, int ranks) const {
  return between_points(alike(all_reduces, all_reduce, ranks),
                        bytes,
                        [](const MeasuredAllReduce& each) { return each.member_share; });
}

double MessageCosts::uncertainty_of(const std::string& all_reduce, double bytes, int ranks) const {
  const bool is_library = all_reduce == kLibrary;
  // Of two that take turns, what was measured is those who come together.
  const bool is_measured =
      !(is_library && ranks == 2) &&
      std::any_of(all_reduces.begin(), all_reduces.end(), [&](const auto& each) {
        return each.algorithm == all_reduce && each.ranks == ranks;
      });
  std::vector<const MeasuredAllReduce*> alike;
  for (const MeasuredAllReduce& each : all_reduces) {
    const bool is_of_these = is_measured ? each.ranks == ranks : !each.is_extrapolated;
    if (is_of_these && (each.algorithm == kLibrary) == is_library) alike.push_back(&each);
  }
  double below = 0;
  double above = std::numeric_limits<double>::infinity();
  for (const MeasuredAllReduce* each : alike) {
    if (each->bytes <= bytes) below = std::max(below, each->bytes);
    if (each->bytes >= bytes) above = std::min(above, each->bytes);
  }
  double sum = 0;
  double count = 0;
  for (const MeasuredAllReduce* each : alike) {
    if (each->bytes != below && each->bytes != above) continue;
    const double off =
        is_measured ? each->deviation : std::log(each->forecast_s / each->measured_s);
    sum += off * off;
    ++count;
  }
  const double of_all_reduces = count > 0 ? std::sqrt(sum / count) : 0;
  if (is_measured) return std::min(of_all_reduces, kMostUncertainty);
  return std::clamp(of_all_reduces, uncertainty, std::max(uncertainty, kMostUncertainty));
}

MessageCosts between_ends(const MessageCosts& a, const MessageCosts& b) {
  MessageCosts both = a;
  both.uncertainty = std::max(a.uncertainty, b.uncertainty);
  both.barrier_round_s = std::max(a.barrier_round_s, b.barrier_round_s);
  both.turns_share = std::max(a.turns_share, b.turns_share);
  both.turns_share_of_two_together =
      std::max(a.turns_share_of_two_together, b.turns_share_of_two_together);
  const auto larger_share = [&](Turns turns) {
    return [&a, &b, turns](double bytes) {
      return std::max(a.share_of_turns(turns, a.turns_from_bytes, bytes),
                      b.share_of_turns(turns, b.turns_from_bytes, bytes));
    };
  };
  both.turns_one_late =
      shares_of_both(a, b, &MessageCosts::turns_one_late, larger_share(Turns::two_one_late));
  both.turns_in_a_row =
      shares_of_both(a, b, &MessageCosts::turns_in_a_row, larger_share(Turns::two_in_a_row));
  both.all_reduces.insert(both.all_reduces.end(), b.all_reduces.begin(), b.all_reduces.end());
  both.turns_from_bytes = std::min(a.turns_from_bytes, b.turns_from_bytes);
  both.pairwise = shares_of_both(a, b, &MessageCosts::pairwise, [&](double bytes) {
    return std::max(share_at(a.pairwise, bytes), share_at(b.pairwise, bytes));
  });
  both.one_way = shares_of_both(a, b, &MessageCosts::one_way, [&](double bytes) {
    return std::max(a.load_of(Exchange::one_way, bytes), b.load_of(Exchange::one_way, bytes));
  });
  for (const std::string& note : b.notes) {
    if (std::find(a.notes.begin(), a.notes.end(), note) == a.notes.end())
      both.notes.push_back(note);
  }
  std::set<double> sizes;
  for (const MessageCosts* costs : {&a, &b}) {
    for (const MessageRegime& regime : costs->regimes) sizes.insert(regime.from_bytes);
  }
  both.regimes.clear();
  for (const double bytes : sizes) {
    const MessageRegime& of_a = a.regime(bytes);
    const MessageRegime& of_b = b.regime(bytes);
    both.regimes.push_back({.from_bytes = bytes,
                            .latency_s = std::midpoint(of_a.latency_s, of_b.latency_s),
                            .bytes_per_s = std::min(of_a.bytes_per_s, of_b.bytes_per_s)});
  }
  return both;
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
  if (costs.turns_share_of_two_together > 0)
    json["turns_share_of_two_together"] = costs.turns_share_of_two_together;
  if (!costs.turns_one_late.empty()) json["turns_one_late"] = shares_json(costs.turns_one_late);
  if (!costs.turns_in_a_row.empty()) json["turns_in_a_row"] = shares_json(costs.turns_in_a_row);
  if (!costs.pairwise.empty()) json["pairwise"] = shares_json(costs.pairwise);
  if (!costs.one_way.empty()) json["one_way"] = shares_json(costs.one_way);
  for (const MeasuredAllReduce& each : costs.all_reduces) {
    nlohmann::ordered_json measured = {
        {"algorithm", each.algorithm},
        {"bytes", quantity_text(each.bytes, Dimension::bytes)},
        {"measured", quantity_text(each.measured_s, Dimension::seconds)},
        {"forecast", quantity_text(each.forecast_s, Dimension::seconds)}};
    if (each.ranks > 0) measured["ranks"] = each.ranks;
    if (each.deviation > 0) measured["deviation"] = each.deviation;
    if (each.is_extrapolated) measured["extrapolated"] = true;
    if (each.member_share < 1) measured["member_share"] = each.member_share;
    if (each.measured_late_s > 0)
      measured["measured_late"] = quantity_text(each.measured_late_s, Dimension::seconds);
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
  if (const auto share = input.maybe("turns_share_of_two_together"))
    costs.turns_share_of_two_together = read_up_to(*share, 1);
  if (const auto shares = input.maybe("turns_one_late"))
    costs.turns_one_late = read_shares(*shares);
  if (const auto shares = input.maybe("turns_in_a_row"))
    costs.turns_in_a_row = read_shares(*shares);
  if (const auto pairwise = input.maybe("pairwise")) costs.pairwise = read_shares(*pairwise);
  if (const auto one_way = input.maybe("one_way")) costs.one_way = read_shares(*one_way);
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
