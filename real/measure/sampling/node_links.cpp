// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/node_links.hpp"

#include <algorithm>
#include <numeric>

#include "core/costs/batch_cost.hpp"

namespace epochcast::real {
namespace {

constexpr int kMostRounds = 15;

}  // namespace

std::vector<std::vector<NodePair>> rounds_of_pairs(int nodes) {
  // All nodes but one are on a circle; that one meets the round's node, and the others meet their
  // opposite with respect to it. With an odd number of nodes, that one does not exist.
  const int circle = nodes % 2 == 0 ? nodes - 1 : nodes;
  const int count = std::min(circle, kMostRounds);
  std::vector<std::vector<NodePair>> rounds;
  for (int i = 0; i < count; ++i) {
    const auto round = static_cast<int>(std::int64_t{i} * circle / count);
    std::vector<NodePair> pairs;
    if (circle < nodes) pairs.push_back({.first = round, .second = circle});
    for (int step = 1; step <= (circle - 1) / 2; ++step) {
      const int right = (round + step) % circle;
      const int left = (round - step + circle) % circle;
      pairs.push_back({.first = std::min(left, right), .second = std::max(left, right)});
    }
    rounds.push_back(std::move(pairs));
  }
  return rounds;
}

std::vector<std::int64_t> shares_of_hub(std::int64_t bytes,
                                        const std::vector<double>& bytes_per_s) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t floats = bytes / kFloat;
  const double all = std::accumulate(bytes_per_s.begin(), bytes_per_s.end(), 0.0);
  std::vector<std::int64_t> shares;
  shares.reserve(bytes_per_s.size());
  double up_to = 0;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < bytes_per_s.size(); ++i) {
    up_to += all > 0 ? bytes_per_s[i] / all : 1.0 / static_cast<double>(bytes_per_s.size());
    const std::int64_t end = std::min(
        floats, static_cast<std::int64_t>(static_cast<double>(floats) * up_to * (1 + 1e-12)));
    shares.push_back(kFloat * (end - given));
    given = end;
  }
  shares.back() += bytes - kFloat * given;
  return shares;
}

std::vector<double> link_speeds(std::span<const MessageCost> costs, int nodes) {
  std::int64_t large = 0;
  for (const MessageCost& cost : costs) {
    if (!cost.nodes.empty()) large = std::max(large, cost.bytes);
  }
  std::vector<double> bytes_per_s(static_cast<std::size_t>(nodes), 0.0);
  for (const MessageCost& cost : costs) {
    if (cost.bytes != large || (cost.kind != "opposite" && cost.kind != "hub-step")) continue;
    const double seconds = median_of(cost.samples_s);
    if (seconds <= 0) continue;
    for (const int node : cost.nodes) {
      double& best = bytes_per_s[static_cast<std::size_t>(node)];
      best = std::max(best, static_cast<double>(large) / seconds);
    }
  }
  return bytes_per_s;
}

}  // namespace epochcast::real
