// SPDX-License-Identifier: Apache-2.0
// Beside the fake fabric, which it records.
#include "sim/recording/recording_fabric.hpp"

#include "tests/catch.hpp"
#include "tests/support/fabric_contract.hpp"
#include "tests/support/fake_fabric.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using After = std::vector<std::uint32_t>;

Payload bytes_only(double bytes) { return payload_of_bytes(bytes); }

/// The recording of a program of workers on these nodes.
Recording record(const std::vector<int>& node_of_rank,
                 const std::function<void(Fabric&)>& program,
                 Recording recording = {}) {
  run_workers(workers_on(node_of_rank),
              [&](Fabric& fake) {
                RecordingFabric fabric(fake, recording);
                program(fabric);
              },
              {.alpha_s = 1, .beta_s_per_byte = 0});
  return recording;
}

std::vector<After> afters(const std::vector<RecordedAction>& actions) {
  std::vector<After> all;
  for (const RecordedAction& action : actions) all.push_back(action.after);
  return all;
}

TEST_CASE("a recorded fabric keeps the fabric's contract") {
  for (const FabricClaim& claim : fabric_contract()) {
    DYNAMIC_SECTION(name_of(claim)) {
      std::string broken;
      Recording recording;
      run_workers(workers_on(claim.node_of_rank),
                  [&](Fabric& fake) {
                    RecordingFabric fabric(fake, recording);
                    Expectations expect(0);
                    claim.program(fabric, expect);
                    broken += expect.broken();
                  },
                  {.alpha_s = 1e-4, .beta_s_per_byte = 1e-8});
      CHECK(broken == "");
    }
  }
}

TEST_CASE("blocking actions are sequential") {
  const Recording recording = record({0, 0}, [](Fabric& fabric) {
    fabric.compute(2, "forward");
    fabric.compute(0, "nothing");
    fabric.all_reduce(bytes_only(8), 1, fabric.world());
    fabric.compute(3, "step");
  });

  const auto& actions = recording.by_rank[1];
  REQUIRE(actions.size() == 3);
  CHECK(afters(actions) == std::vector<After>{{}, {0}, {1}});
  CHECK(actions[0].kind == RecordedKind::compute);
  CHECK(actions[0].name == "forward");
  CHECK(actions[0].seconds == 2);
  CHECK(actions[1].kind == RecordedKind::all_reduce);
  CHECK(actions[1].bytes == 8);
  CHECK(actions[2].start_s == 3);  // the all-reduce takes 1
  CHECK(recording.actions == 6);
}

TEST_CASE("a started operation follows the computing before it, and precedes its wait") {
  const Recording recording = record({0, 0}, [](Fabric& fabric) {
    fabric.compute(1, "backward");                                                     // 0
    const Request first = fabric.start_all_reduce(bytes_only(4), 1, fabric.world());   // 1
    fabric.compute(1, "backward");                                                     // 2
    const Request second = fabric.start_all_reduce(bytes_only(4), 1, fabric.world());  // 3
    fabric.compute(1, "backward");                                                     // 4
    fabric.wait(first);
    fabric.compute(1, "half a step");  // 5
    fabric.wait(second);
    fabric.compute(1, "the other half");  // 6
  });

  CHECK(afters(recording.by_rank[0]) ==
        std::vector<After>{{}, {0}, {0}, {1, 2}, {2}, {1, 4}, {3, 5}});
}

TEST_CASE("a worker that never computes has short dependencies") {
  const Recording recording = record({0, 0}, [](Fabric& fabric) {
    for (int i = 0; i < 100; ++i) fabric.all_reduce(bytes_only(4), 1, fabric.world());
  });

  for (std::uint32_t i = 1; i < 100; ++i) REQUIRE(recording.by_rank[0][i].after == After{i - 1});
}

TEST_CASE(
    "groups are identified by their ranks, and collectives of a single worker are not recorded") {
  const Recording recording = record({0, 0, 1}, [](Fabric& fabric) {
    fabric.all_reduce(bytes_only(4), 1, fabric.node());
    fabric.all_reduce(bytes_only(4), 1, fabric.world());
    fabric.barrier(fabric.communicator({0, 1, 2}, {.algorithm = "tree", .servers = {}}));
  });

  CHECK(recording.groups == std::vector<std::vector<int>>{{0, 1, 2}, {0, 1}});
  REQUIRE(recording.by_rank[0].size() == 3);
  CHECK(recording.by_rank[0][0].group == 1);
  CHECK(recording.by_rank[0][1].group == 0);
  CHECK(recording.by_rank[0][2].group == 0);
  CHECK(recording.by_rank[2].size() == 2);
}

TEST_CASE(
    "messages are matched: their tag is their number within the pair, their size the sender's") {
  Recording recording = record({0, 0}, [](Fabric& fabric) {
    for (const double bytes : {5, 6}) {
      if (fabric.rank() == 0) {
        fabric.wait(fabric.start_send(1, bytes_only(bytes)));
      } else {
        fabric.wait(fabric.start_receive(0, bytes_only(100)));
      }
    }
  });
  match_messages(recording);

  for (std::size_t i = 0; i < 2; ++i) {
    const RecordedAction& sent = recording.by_rank[0][i];
    const RecordedAction& received = recording.by_rank[1][i];
    CHECK(sent.kind == RecordedKind::send);
    CHECK(received.kind == RecordedKind::receive);
    CHECK(sent.tag == static_cast<std::int64_t>(i));
    CHECK(received.tag == sent.tag);
    CHECK(received.bytes == 5 + static_cast<double>(i));
    CHECK(sent.peer == 1);
    CHECK(received.peer == 0);
  }
}

TEST_CASE("gathering is recorded as its messages, in the stream of collectives") {
  Recording recording = record({0, 0, 0}, [](Fabric& fabric) {
    fabric.barrier(fabric.world());                                                  // 0
    fabric.gather(bytes_only(fabric.rank() + 1), bytes_only(6), 0, fabric.world());  // 1, 2
    fabric.broadcast(bytes_only(7), 0, fabric.world());
  });
  match_messages(recording);

  const auto& root = recording.by_rank[0];
  CHECK(afters(root) == std::vector<After>{{}, {0}, {0}, {1, 2}});
  CHECK(root[1].bytes == 2);
  CHECK(root[2].bytes == 3);
  CHECK(root[3].kind == RecordedKind::broadcast);
  CHECK(root[3].seconds == 1);
  CHECK(afters(recording.by_rank[2]) == std::vector<After>{{}, {0}, {1}});
  CHECK(recording.by_rank[2][1].kind == RecordedKind::send);
}

// Two partitions through one server: pushed one by one, the first pulled while the second is
// pushed.
TEST_CASE("an all-reduce through a server is recorded as its messages, round by round") {
  Recording recording = record({0, 0, 0}, [](Fabric& fabric) {
    const Communicator& all = fabric.communicator(
        {0, 1, 2}, {.algorithm = "push-pull", .servers = 1, .partition_bytes = 5});
    if (fabric.rank() < 2) fabric.compute(1, "batch");  // 0
    fabric.all_reduce(bytes_only(10), 1, all);          // 1; 2, 3; 4
    fabric.all_reduce(bytes_only(10), 1, all);          // 5; 6, 7; 8
    if (fabric.rank() < 2) fabric.compute(1, "step");
  });
  match_messages(recording);

  const auto& worker = recording.by_rank[0];
  CHECK(afters(worker) ==
        std::vector<After>{{}, {0}, {1}, {1}, {2, 3}, {4}, {5}, {5}, {6, 7}, {8}});
  std::vector<RecordedKind> kinds;
  for (std::size_t i = 1; i < 5; ++i) kinds.push_back(worker[i].kind);
  CHECK(kinds ==
        std::vector<RecordedKind>{
            RecordedKind::send, RecordedKind::send, RecordedKind::receive, RecordedKind::receive});
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(worker[i].peer == 2);
    CHECK(worker[i].bytes == 5);
  }
  const auto& server = recording.by_rank[2];
  REQUIRE(server.size() == 16);
  CHECK(server[0].kind == RecordedKind::receive);
  CHECK(server[8].after == After{6, 7});
}

TEST_CASE("loops run in full, and all their actions are kept up to a limit") {
  const auto program = [](Fabric& fabric) {
    fabric.repeat(fabric.world(), 5, [&](std::int64_t) { fabric.compute(1, "batch"); });
  };
  Recording bounded;
  bounded.most_actions = 9;

  CHECK(record({0, 0}, program).by_rank[1].size() == 5);
  CHECK(problems_of([&] {
          record({0, 0}, program, bounded);
        }) ==
        Texts{"--chakra: the job takes more than 9 actions of its workers, which is too much to "
              "write; ask for fewer --epochs, --nodes or workers"});
}

}  // namespace
}  // namespace epochcast::tests
