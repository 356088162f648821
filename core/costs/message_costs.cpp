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

double MessageCosts::measured_factor(const std::string& all_reduce, double bytes, int ranks) const {
  const std::vector<MeasuredAllReduce> known = alike(all_reduces, all_reduce, ranks);
  if (known.empty()) return 1;
  const auto factor = [](const MeasuredAllReduce& each) {
    return each.measured_s / each.forecast_s;
  };
  const auto above = std::lower_bound(
      known.begin(), known.end(), bytes, [](const MeasuredAllReduce& each, double size) {
        return each.bytes < size;
      });
  if (above == known.begin()) return factor(*above);
  if (above == known.end()) return factor(known.back());
  const MeasuredAllReduce& below = *(above - 1);
  return std::lerp(factor(below),
                   factor(*above),
                   std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes));
}

double MessageCosts::uncertainty_of(const std::string& all_reduce, double bytes, int ranks) const {
  const bool is_library = all_reduce == kLibrary;
  const bool is_measured =
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
  both.all_reduces.insert(both.all_reduces.end(), b.all_reduces.begin(), b.all_reduces.end());
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
  for (const char* key : {"turns", "pairwise", "one_way"}) {
    if (!input.has(key)) continue;
    input.problem("has \"" + std::string(key) +
                  "\" of an older version of epochcast; measure messages and calibrate again");
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
  if (const auto barrier = input.maybe("barrier"))
    costs.barrier_round_s = barrier->quantity(Dimension::seconds, true);
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
