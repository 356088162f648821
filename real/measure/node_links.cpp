// SPDX-License-Identifier: Apache-2.0
#include "real/measure/node_links.hpp"

#include <algorithm>
#include <numeric>

#include "core/costs/batch_cost.hpp"

namespace epochcast::real {
namespace {

constexpr int kMostRounds = 15;
constexpr int kMostGroups = 4;

/// Between which nodes, sorted from the fastest, one class ends and the next begins.
struct Boundary {
  std::size_t faster = 0;  ///< number of nodes above
  double from = 0;         ///< bytes/s of the slowest node above
  double to = 0;           ///< bytes/s of the fastest node below
};

/// Whether speeds differ by a greater factor at `a`.
bool is_sharper(const Boundary& a, const Boundary& b) { return a.from * b.to > b.from * a.to; }

}  // namespace

std::vector<std::vector<NodePair>> rounds_of_pairs(int nodes) {
  // All but one sit on a circle; that one meets the round's node, and the others meet the node
  // opposite, as seen from there. With an odd number of nodes, that one is nobody.
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

int most_groups(int nodes) { return std::clamp(nodes - 2, 0, kMostGroups); }

std::vector<std::vector<int>> groups_to_measure(const std::vector<double>& bytes_per_s) {
  const auto speed_of = [&](int node) { return bytes_per_s[static_cast<std::size_t>(node)]; };
  std::vector<int> fastest_first(bytes_per_s.size());
  std::iota(fastest_first.begin(), fastest_first.end(), 0);
  std::stable_sort(fastest_first.begin(), fastest_first.end(), [&](int a, int b) {
    return speed_of(a) > speed_of(b);
  });

  std::vector<Boundary> boundaries;
  double slowest = fastest_first.empty() ? 0 : speed_of(fastest_first.back());  // of the class
  for (std::size_t faster = fastest_first.size(); faster-- > 1;) {
    const double from = speed_of(fastest_first[faster - 1]);
    if (from <= kEqualLinks * slowest) continue;
    slowest = from;
    if (faster > 1)
      boundaries.push_back({.faster = faster, .from = from, .to = speed_of(fastest_first[faster])});
  }
  std::stable_sort(boundaries.begin(), boundaries.end(), is_sharper);
  if (boundaries.size() > kMostGroups) boundaries.resize(kMostGroups);

  std::vector<std::vector<int>> groups;
  for (const Boundary& boundary : boundaries) {
    const auto first = fastest_first.begin();
    groups.emplace_back(first, first + static_cast<std::ptrdiff_t>(boundary.faster));
    std::sort(groups.back().begin(), groups.back().end());
  }
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.size() < b.size();
  });
  return groups;
}

}  // namespace epochcast::real
