// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/node_links.hpp"

#include <numeric>
#include <set>
#include <utility>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

/// The number of other nodes that each node meets; none twice, in all and within a round.
std::vector<int> times_paired(const std::vector<std::vector<NodePair>>& rounds, int nodes) {
  std::vector<int> met(static_cast<std::size_t>(nodes), 0);
  std::set<std::pair<int, int>> pairs;
  for (const std::vector<NodePair>& round : rounds) {
    std::set<int> busy;
    for (const NodePair& pair : round) {
      CHECK(pair.first < pair.second);
      CHECK(busy.insert(pair.first).second);
      CHECK(busy.insert(pair.second).second);
      CHECK(pairs.emplace(pair.first, pair.second).second);
      ++met.at(static_cast<std::size_t>(pair.first));
      ++met.at(static_cast<std::size_t>(pair.second));
    }
  }
  return met;
}

MessageCost cost_of(const std::string& kind,
                    const std::vector<int>& nodes,
                    std::int64_t bytes,
                    const std::vector<double>& samples_s) {
  return {.kind = kind, .scope = "between", .nodes = nodes, .bytes = bytes, .samples_s = samples_s};
}

TEST_CASE("up to 16 nodes, every pair meets once, in the fewest possible rounds") {
  for (int nodes = 2; nodes <= 16; ++nodes) {
    CAPTURE(nodes);

    const auto rounds = rounds_of_pairs(nodes);

    // With an odd number of nodes, each is idle once.
    CHECK(static_cast<int>(rounds.size()) == (nodes % 2 == 0 ? nodes - 1 : nodes));
    if (nodes == 16) CHECK(rounds.size() == 15);
    for (const int times : times_paired(rounds, nodes)) CHECK(times == nodes - 1);
  }
}

TEST_CASE("four nodes meet in three rounds of two pairs") {
  CHECK(rounds_of_pairs(4) ==
        std::vector<std::vector<NodePair>>{{{0, 3}, {1, 2}}, {{1, 3}, {0, 2}}, {{2, 3}, {0, 1}}});
}

TEST_CASE("beyond 16 nodes there are 15 rounds, in which each node meets 14 or 15 others") {
  for (const int nodes : {17, 18, 33, 64, 257, 1000}) {
    CAPTURE(nodes);

    const auto rounds = rounds_of_pairs(nodes);

    CHECK(rounds.size() == 15);
    for (const int times : times_paired(rounds, nodes)) CHECK((times == 14 || times == 15));
  }
}

TEST_CASE("a hub's bytes are divided by the links' bandwidths, in whole floats, without loss") {
  CHECK(shares_of_hub(120, {5, 5, 5}) == std::vector<std::int64_t>{40, 40, 40});
  CHECK(shares_of_hub(120, {4, 1, 1}) == std::vector<std::int64_t>{80, 20, 20});
  CHECK(shares_of_hub(120, {0, 0, 0}) == std::vector<std::int64_t>{40, 40, 40});
  CHECK(shares_of_hub(16, {1, 1, 1}) == std::vector<std::int64_t>{4, 4, 8});
  CHECK(shares_of_hub(15, {1, 1}) == std::vector<std::int64_t>{4, 11});
  CHECK(shares_of_hub(1, {1, 1, 1}) == std::vector<std::int64_t>{0, 0, 1});
  CHECK(shares_of_hub(8, {1, 1, 1}) == std::vector<std::int64_t>{0, 4, 4});
  const auto shares = shares_of_hub(std::int64_t{1} << 30, std::vector<double>(999, 0.1));
  CHECK(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}) == std::int64_t{1} << 30);
}

TEST_CASE("a link's bandwidth is the best of its large messages at the median") {
  const std::vector<MessageCost> costs = {
      {.kind = "opposite", .scope = "between", .bytes = 1000, .samples_s = {1e-9}},  // no nodes
      cost_of("opposite", {0, 1}, 10, {1e-9}),
      cost_of("opposite", {0, 1}, 1000, {1, 2, 30}),
      cost_of("opposite", {0, 2}, 1000, {10}),
      cost_of("opposite", {1, 2}, 1000, {20}),
      cost_of("hub-step", {0}, 1000, {4}),
      cost_of("hub-step", {1}, 1000, {1}),
      cost_of("hub-step", {2}, 1000, {8})};

  CHECK(link_speeds(costs, 3) == std::vector<double>{500, 1000, 125});
  CHECK(link_speeds({}, 2) == std::vector<double>{0, 0});
}

}  // namespace
}  // namespace epochcast::real
