// SPDX-License-Identifier: Apache-2.0
// Where traffic shares links, replaying a collective's cost would be wrong: the simulation has to
// notice, and to start again in full.
#include "sim/exchange/interference.hpp"

#include <string>

#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

Payload bytes(double count) { return payload_of_bytes(count); }

/// With any acceleration, every worker's meters equal those of full simulation.
Observed check_same(const Platform& platform, const Program& program) {
  const Observed exact = observe_exactly(platform, program);
  const Observed fast = observe(platform, program);
  CHECK(exact.passes == 1);
  for (std::size_t rank = 0; rank < exact.now_s.size(); ++rank) {
    CAPTURE(rank);
    const double margin = 1e-9 * exact.now_s[rank];
    CHECK(fast.now_s[rank] == Approx(exact.now_s[rank]).epsilon(1e-9));
    CHECK(fast.phases[rank].exposed_communication_s ==
          Approx(exact.phases[rank].exposed_communication_s).epsilon(1e-9).margin(margin));
    CHECK(fast.phases[rank].blocked_s ==
          Approx(exact.phases[rank].blocked_s).epsilon(1e-9).margin(margin));
  }
  return fast;
}

TEST_CASE("a replay of unknown end claims its links until it ends, not longer") {
  const sim::Footprint links = {.slots = {0, 1}};
  const sim::Footprint others = {.slots = {1, 2}};
  sim::Interference interference(2);
  REQUIRE(interference.begin_replay(links, 1.0));
  interference.end_replay(links, 2.0);

  REQUIRE(interference.begin_replay(links, 2.0));
  CHECK_FALSE(interference.has_conflict());
  CHECK(interference.begin_replay(others, 3.0, 4.0));
  CHECK(interference.has_conflict());
}

TEST_CASE("a message during a replayed all-reduce restarts the simulation in full") {
  // Rank 3 sends a long message to rank 0's node neighbour while 0, 1, 2 continue to exchange.
  const Program program = [](Fabric& fabric) {
    const Communicator& three = fabric.communicator({0, 1, 2}, {});
    if (fabric.rank() < 3) {
      for (int i = 0; i < 20; ++i) fabric.all_reduce(bytes(30e6), 1, three);
      return;
    }
    fabric.compute(0.2, "work");
    if (fabric.rank() == 3) fabric.wait(fabric.start_send(4, bytes(200e6)));
    if (fabric.rank() == 4) fabric.wait(fabric.start_receive(3, bytes(200e6)));
  };

  const Observed observed = check_same(mixed(3, 2, 0, pcie(), star()), program);

  CHECK(observed.passes == 2);
}

TEST_CASE("loops of all workers are extrapolated although a replay was interrupted") {
  // As in the last case, in each of many iterations.
  const auto iterate = [](std::int64_t iterations) {
    return [iterations](Fabric& fabric) {
      const Communicator& three = fabric.communicator({0, 1, 2}, {});
      fabric.repeat(fabric.world(), iterations, [&](std::int64_t) {
        if (fabric.rank() < 3) {
          for (int i = 0; i < 20; ++i) fabric.all_reduce(bytes(30e6), 1, three);
        } else {
          fabric.compute(0.2, "work");
          if (fabric.rank() == 3) fabric.wait(fabric.start_send(4, bytes(200e6)));
          if (fabric.rank() == 4) fabric.wait(fabric.start_receive(3, bytes(200e6)));
        }
        fabric.barrier(fabric.world());
      });
    };
  };
  const Platform platform = mixed(3, 2, 0, pcie(), star());

  const Observed few = check_same(platform, iterate(10));
  const Observed many = observe(platform, iterate(10'000));

  CHECK(few.passes == 2);
  CHECK(many.passes == 2);
  CHECK(many.messages == few.messages);
  CHECK(many.now_s[0] == Approx(1'000 * few.now_s[0]).epsilon(1e-9));
}

TEST_CASE("overlapping communicators contend as in full simulation") {
  // Both groups share the links of nodes 0 and 1; the second begins in the middle of the first.
  const Program program = [](Fabric& fabric) {
    const bool is_first = fabric.self().device == 0;
    const Communicator& mine =
        is_first ? fabric.communicator({0, 2, 4, 6}, {}) : fabric.communicator({1, 3, 5, 7}, {});
    if (!is_first) fabric.compute(0.05, "work");
    for (int i = 0; i < 6; ++i) {
      fabric.all_reduce(bytes(60e6), 1, mine);
      fabric.compute(is_first ? 0.02 : 0.013, "work");
    }
  };

  check_same(mixed(4, 2, 0, pcie(), star()), program);
}

TEST_CASE("a ring whose rounds were skipped while another began is simulated again in full") {
  // 2 x 16 ranks on 16 nodes: each node's link carries both rings, but only for a while.
  const Program program = [](Fabric& fabric) {
    std::vector<int> ranks;
    for (int node = 0; node < 16; ++node) ranks.push_back(2 * node + fabric.self().device);
    const Communicator& mine = fabric.communicator(ranks, {});
    if (fabric.self().device == 1) fabric.compute(0.02, "work");
    fabric.all_reduce(bytes(120e6), 1, mine);
  };

  check_same(mixed(16, 2, 0, pcie(), star()), program);
}

TEST_CASE("rings that share links from their start skip no rounds, so one pass is enough") {
  const Program program = [](Fabric& fabric) {
    std::vector<int> ranks;
    for (int node = 0; node < 16; ++node) ranks.push_back(2 * node + fabric.self().device);
    const Communicator& mine = fabric.communicator(ranks, {});
    fabric.repeat(fabric.world(), 50, [&](std::int64_t) {
      fabric.compute(0.02, "work");
      fabric.all_reduce(bytes(30e6), 1, mine);
    });
  };

  const Observed observed = check_same(mixed(16, 2, 0, pcie(), star()), program);

  CHECK(observed.passes == 1);
}

TEST_CASE("a ring whose rounds were skipped while a message crossed its links is simulated again") {
  const Program program = [](Fabric& fabric) {
    std::vector<int> ranks;
    for (int node = 0; node < 16; ++node) ranks.push_back(2 * node);
    const Communicator& ring = fabric.communicator(ranks, {});
    if (fabric.self().device == 0) return fabric.all_reduce(bytes(120e6), 1, ring);
    fabric.compute(0.03, "work");
    if (fabric.rank() == 1) fabric.wait(fabric.start_send(3, bytes(90e6)));
    if (fabric.rank() == 3) fabric.wait(fabric.start_receive(1, bytes(90e6)));
  };

  check_same(mixed(16, 2, 0, pcie(), star()), program);
}

TEST_CASE("all-reduces inside different nodes are replayed at the same time") {
  const Program program = [](Fabric& fabric) {
    for (int i = 0; i < 10; ++i) {
      fabric.compute(1e-3 * (1 + fabric.self().node), "work");
      fabric.all_reduce(bytes(8e6), 1, fabric.node());
    }
    fabric.all_reduce(bytes(8e6), 1, fabric.world());
  };

  const Observed observed = check_same(mixed(4, 2, 0, pcie(), star()), program);

  CHECK(observed.passes == 1);
  CHECK(observed.messages == 4 * (2 * 2) + 2 * 7 * 8);  // one small ring per node, one large
}

TEST_CASE("nodes of an XML platform with shared links do not count as separate") {
  // Two "nodes" of two hosts each behind one shared backbone.
  Platform platform;
  platform.simgrid_xml = EPOCHCAST_SOURCE_DIR "/tests/sim/data/shared_backbone.xml";
  const Program program = [](Fabric& fabric) {
    for (int i = 0; i < 10; ++i) {
      fabric.compute(fabric.self().node == 0 ? 1e-3 : 7e-3, "work");
      fabric.all_reduce(bytes(8e6), 1, fabric.node());
    }
  };

  check_same(platform, program);
}

TEST_CASE("a replay that could share links with a simulation is a conflict, in either order") {
  const sim::Footprint left = {{0}};
  const sim::Footprint right = {{1}};
  const sim::Footprint both = {{0, 1, 2}};

  sim::Interference replay_first(2);
  CHECK(replay_first.begin_replay(left, 1, 2));
  CHECK(replay_first.begin_replay(right, 1, 2));  // another node's links
  CHECK_FALSE(replay_first.has_conflict());
  (void)replay_first.begin_simulated(both, 2);  // at the moment when they end
  CHECK_FALSE(replay_first.has_conflict());

  sim::Interference overlapping(2);
  CHECK(overlapping.begin_replay(left, 1, 2));
  (void)overlapping.begin_simulated(both, 1.5);
  CHECK(overlapping.has_conflict());

  sim::Interference simulated_first(2);
  const std::uint64_t token = simulated_first.begin_simulated(both, 1);
  CHECK(simulated_first.is_alone(both, token));
  CHECK_FALSE(simulated_first.begin_replay(left, 1.5, 2));  // to be simulated too
  CHECK(simulated_first.end_simulated(both, token, 3));
  CHECK(simulated_first.begin_replay(left, 2.5, 3.5));
  CHECK(simulated_first.has_conflict());
}

TEST_CASE("a simulation that shared its links is not replayed") {
  const sim::Footprint left = {{0}};
  sim::Interference interference(1);

  const std::uint64_t first = interference.begin_simulated(left, 0);
  const std::uint64_t second = interference.begin_simulated(left, 1);

  CHECK_FALSE(interference.is_alone(left, first));
  CHECK_FALSE(interference.is_alone(left, second));
  CHECK_FALSE(interference.end_simulated(left, second, 2));
  CHECK_FALSE(interference.end_simulated(left, first, 3));
}

}  // namespace
}  // namespace epochcast::tests
