// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/exchange_shares.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "collectives/openmpi.hpp"
#include "core/spread.hpp"

namespace epochcast {
namespace {

using Nodes = std::vector<int>;

/// What goes one way as a share of what goes both ways between the same two.
std::vector<MessageShare> one_way_of_pair(const MessageTrace& trace, const std::string& scope) {
  const std::vector<MessagePoint> alone = points_of(trace, "ping-pong", scope);
  std::vector<MessageShare> shares;
  for (const MessagePoint& both : points_of(trace, "opposite", scope)) {
    if (const MessagePoint* one = point_at(alone, both.bytes))
      shares.push_back({.bytes = both.bytes, .share = std::min(1.0, one->seconds / both.seconds)});
  }
  return shares;
}

/// The nodes of the pair whose messages were measured at all sizes: the first rank's, and that of
/// the first rank elsewhere, if there is one.
Nodes usual_pair(const MessageTrace& trace) {
  const int first = trace.node_of_rank.front();
  const auto other = std::find_if(trace.node_of_rank.begin(),
                                  trace.node_of_rank.end(),
                                  [first](int node) { return node != first; });
  if (other == trace.node_of_rank.end()) return {first};
  return {std::min(first, *other), std::max(first, *other)};
}

bool has_all(const Nodes& nodes, const Nodes& some) {
  return std::includes(nodes.begin(), nodes.end(), some.begin(), some.end());
}

/// How much less than the costs say messages take between two alone. Pairs are those of `nodes`
/// (none: of all) that are not both among the `faster` ones.
std::vector<MessageShare> fit_pairwise(const MessageTrace& trace,
                                       const Nodes& nodes,
                                       const Nodes& faster,
                                       const MessageCosts& costs) {
  const auto is_of_these = [&](const Nodes& pair) {
    return (nodes.empty() || has_all(nodes, pair)) && (faster.empty() || !has_all(faster, pair));
  };
  const auto share_of = [&costs](const MessagePoint& point) {
    return std::min(1.0, point.seconds / costs.message_s(point.bytes));
  };
  const std::vector<MessagePoint> usual = points_of(trace, "opposite", "between");
  if (!usual.empty() && is_of_these(usual_pair(trace))) {
    std::vector<MessageShare> shares;
    for (const MessagePoint& point : usual) {
      const bool is_large = point.bytes >= kLargeMessageBytes;
      shares.push_back({.bytes = point.bytes, .share = is_large ? share_of(point) : 1});
    }
    return shares;
  }
  // Other pairs were measured at a large size only.
  std::vector<double> of_pairs;
  for (const Nodes& pair : nodes_of(trace, "opposite")) {
    const std::vector<MessagePoint> points = points_of(trace, "opposite", "between", pair);
    if (is_of_these(pair) && !points.empty() && points.back().bytes >= kLargeMessageBytes)
      of_pairs.push_back(share_of(points.back()));
  }
  if (of_pairs.empty()) return {};
  return {{.bytes = kLargeMessageBytes / 4, .share = 1},
          {.bytes = kLargeMessageBytes, .share = mean_of(of_pairs)}};
}

/// Below it a message needs no answer before it is sent, so that none waits behind the other one
/// (Open MPI's btl_tcp_eager_limit, which counts a header, too): who comes late is late for other
/// reasons.
constexpr double kEagerBytes = 65536;

/// The largest message of the library's all-reduce of so many bytes between two.
double message_of_library(double bytes) {
  constexpr int kTwo = 2;
  const auto schedule = make_openmpi_all_reduce(kTwo, std::llround(bytes));
  std::int64_t units = 0;
  for (std::int64_t index = 0; index < schedule->rounds(0); ++index) {
    for (const Action& action : schedule->round(0, index))
      units = std::max(units, action.block.size());
  }
  return bytes * static_cast<double>(units) / static_cast<double>(schedule->divisions());
}

}  // namespace

void fit_shares(const MessageTrace& trace, NetworkFit& fit) {
  // Where costs are those of ping-pongs, they are those of one way already.
  if (fit.node && !fit.node->ring_step.empty())
    fit.node->costs.one_way = one_way_of_pair(trace, "node");
  if (!fit.between || fit.between->ring_step.empty()) return;
  const std::vector<MessageShare> one_way = one_way_of_pair(trace, "between");
  const auto fit_class = [&](const Nodes& nodes, const Nodes& faster, MessageCosts& costs) {
    costs.pairwise = fit_pairwise(trace, nodes, faster, costs);
    costs.one_way = one_way;
  };
  const auto nodes_at = [&fit](std::size_t i) {
    return i < fit.faster.size() ? fit.faster[i].nodes : Nodes();
  };
  fit_class({}, nodes_at(0), fit.between->costs);
  // Links have room for what pairs get.
  for (const MessageShare& each : fit.between->costs.pairwise) {
    if (each.bytes < kLargeMessageBytes) continue;
    double& link_bytes_per_s = fit.between->bytes_per_s;
    link_bytes_per_s = std::max(
        link_bytes_per_s, each.bytes / (each.share * fit.between->costs.message_s(each.bytes)));
  }
  for (std::size_t i = 0; i < fit.faster.size(); ++i)
    fit_class(fit.faster[i].nodes, nodes_at(i + 1), fit.faster[i].fit.costs);
}

void fit_turns(const std::vector<MessagePoint>& opposite,
               const std::vector<MessagePoint>& late,
               const std::vector<MessagePoint>& in_a_row,
               MessageCosts& costs) {
  constexpr double kShows = 0.2;
  std::vector<MessageShare> one_late;  // of sizes from the first that shows turns on
  std::vector<double> shares;
  for (const MessagePoint& point : late) {
    const MessagePoint* both = point_at(opposite, point.bytes);
    if (both == nullptr || message_of_library(point.bytes) < kEagerBytes) continue;
    const double share = point.seconds / std::min(both->seconds, point.least_s) - 1;
    if (one_late.empty() && share < kShows) continue;
    one_late.push_back({.bytes = point.bytes, .share = std::clamp(share, 0.0, 1.0)});
    shares.push_back(one_late.back().share);
  }
  if (one_late.empty() || median_of(std::move(shares)) < kShows) return;
  const double from_bytes = one_late.front().bytes;
  costs.turns_from_bytes = message_of_library(from_bytes);
  costs.turns_one_late = std::move(one_late);
  for (const MessagePoint& point : in_a_row) {
    const MessagePoint* both = point_at(opposite, point.bytes);
    if (both == nullptr || point.bytes < from_bytes) continue;
    costs.turns_in_a_row.push_back(
        {.bytes = point.bytes, .share = std::clamp(point.seconds / both->seconds - 1, 0.0, 1.0)});
  }
}

}  // namespace epochcast
