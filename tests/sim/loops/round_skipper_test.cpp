// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/round_skipper.hpp"

#include <map>
#include <string>

#include "collectives/ring.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

Program one_all_reduce(double bytes) {
  return [bytes](Fabric& fabric) { fabric.all_reduce(payload_of_bytes(bytes), 1, fabric.world()); };
}

/// A star whose node `slow` has devices with slow reductions: its ring steps take longer than
/// others'.
Platform with_slow_node(Platform platform, int slow, double reduce_s_per_byte) {
  const NodeGroup plain = platform.nodes.front();
  NodeGroup before = plain;
  before.count = slow;
  NodeGroup odd = plain;
  odd.count = 1;
  odd.devices.front().reduce_bytes_per_s = 1 / reduce_s_per_byte;
  NodeGroup after = plain;
  after.count = plain.count - slow - 1;
  platform.nodes = {before, odd, after};
  return platform;
}

/// All ranks end at the same time as without acceleration, to rounding of the clock.
void check_ends(const Observed& skipping, const Observed& exact) {
  REQUIRE(skipping.now_s.size() == exact.now_s.size());
  for (std::size_t rank = 0; rank < exact.now_s.size(); ++rank) {
    CAPTURE(rank);
    CHECK(skipping.now_s[rank] == Approx(exact.now_s[rank]).epsilon(1e-9));
    CHECK(skipping.traffic[rank].inter_node_bytes ==
          Approx(exact.traffic[rank].inter_node_bytes).epsilon(1e-9));
  }
}

TEST_CASE("skipping rounds of rings changes no rank's end") {
  const TestLink link = {.bytes_per_s = 1e10, .latency_s = 2e-6};
  const std::map<std::string, Platform> platforms = {
      {"64 equal ranks", plain_star(64, link, 1e-11)},
      {"96 equal ranks", plain_star(96, link, 1e-11)},
      {"one slow adder", with_slow_node(plain_star(48, link, 1e-11), 17, 3e-10)},
      {"hardly slower adder", with_slow_node(plain_star(48, link, 1e-11), 17, 1.001e-11)},
      {"4 x 16 GPUs on a fat tree", mixed(4, 16, 0, pcie(), fat_tree())},
      {"1 x 32 GPUs on a backbone", mixed(1, 32, 0, pcie_with_backbone(), nullptr)}};
  for (const auto& [name, platform] : platforms) {
    for (const double bytes : {96e6, 1e6}) {
      CAPTURE(name, bytes);
      const Observed exact = observe_exactly(platform, one_all_reduce(bytes));
      const Observed skipping = observe(platform, one_all_reduce(bytes));
      check_ends(skipping, exact);
      CHECK(skipping.messages <= exact.messages);
    }
  }
}

TEST_CASE("skipping rounds of rings with one slow link changes no rank's end") {
  // 20 times slower than the others, or by 1 %.
  for (const char* file : {"slow_link.xml", "slightly_slow_link.xml"}) {
    CAPTURE(file);
    Platform platform;
    platform.simgrid_xml = std::string(EPOCHCAST_SOURCE_DIR "/tests/sim/data/") + file;
    const Observed exact = observe_exactly(platform, one_all_reduce(48e6));
    check_ends(observe(platform, one_all_reduce(48e6)), exact);
  }
}

TEST_CASE("skipping rounds of pipelined collectives changes no rank's end") {
  for (const char* algorithm : {"double-binary-tree", "hierarchical", "segmented-ring"}) {
    for (const auto& platform :
         {mixed(4, 8, 0, pcie(), fat_tree()), mixed(4, 4, 0, nvlink(), torus())}) {
      CAPTURE(algorithm, platform.nodes.front().devices.front().count);
      const Program program = one_all_reduce(64e6);
      check_ends(observe(platform, program, {}, algorithm),
                 observe_exactly(platform, program, algorithm));
    }
  }
}

TEST_CASE("ranks that advance equally for two periods omit all others but the last") {
  const Ring ring(32);  // 62 rounds: 31 that add, then 31 that overwrite
  const std::vector<RepeatedRounds> runs = ring.repeated();
  REQUIRE_FALSE(runs.empty());
  sim::RoundSkipper skipper(ring, true);

  std::int64_t simulated = 0;
  std::vector<std::int64_t> next(32, 0);
  std::vector<double> clock_s(32, 0);
  for (bool is_busy = true; is_busy;) {
    is_busy = false;
    for (int rank = 0; rank < 32; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      if (next[i] >= ring.rounds(rank)) continue;
      is_busy = true;
      clock_s[i] += 0.25;
      next[i] = skipper.completed(rank, next[i], clock_s[i], {.inter_node_bytes = 100});
      simulated += rank == 0;
    }
  }

  for (int rank = 0; rank < 32; ++rank) {
    CHECK(clock_s[static_cast<std::size_t>(rank)] + skipper.omitted_s(rank) == 62 * 0.25);
    CHECK(skipper.traffic(rank).inter_node_bytes == 6200);
  }
  CHECK(simulated < 62 / 3);
}

TEST_CASE("rounds are omitted only if they may be") {
  const Ring ring(32);
  sim::RoundSkipper skipper(ring, true, [] { return false; });
  for (std::int64_t round = 0; round < ring.rounds(0); ++round) {
    for (int rank = 0; rank < 32; ++rank)
      CHECK(skipper.completed(rank, round, 0.25 * static_cast<double>(round + 1), {}) == round + 1);
  }
  CHECK_FALSE(skipper.has_omitted());
}

TEST_CASE("ranks that advance differently omit nothing") {
  const Ring ring(32);
  sim::RoundSkipper skipper(ring, true);
  for (std::int64_t round = 0; round < ring.rounds(0); ++round) {
    for (int rank = 0; rank < 32; ++rank) {
      const double clock_s = static_cast<double>(round + 1) * (rank == 5 ? 0.26 : 0.25);
      CHECK(skipper.completed(rank, round, clock_s, {}) == round + 1);
    }
  }
  CHECK(skipper.omitted_s(0) == 0);
}

}  // namespace
}  // namespace epochcast::tests
