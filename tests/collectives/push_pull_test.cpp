// SPDX-License-Identifier: Apache-2.0
#include "collectives/push_pull.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

template <typename Check>
void for_every_push_pull(Check check) {
  for (const int workers : {1, 2, 3, 8, 17}) {
    for (const int servers : {1, 2, 3, 8}) {
      for (const std::int64_t partitions : {1, 2, 3, 7, 16, 50}) {
        CAPTURE(workers, servers, partitions);
        check(PushPull(workers, servers, partitions), workers, servers, partitions);
      }
    }
  }
}

TEST_CASE("push-pull leaves the sum over workers on every worker, with any values on servers") {
  for_every_push_pull([](const PushPull& schedule, int workers, int, std::int64_t) {
    for (const int elements : {1, 16, 101}) {
      const auto execution = execute_numbered(schedule, elements);

      REQUIRE(execution.problem.empty());
      for (int worker = 0; worker < workers; ++worker) {
        REQUIRE(execution.payloads[static_cast<std::size_t>(worker)] ==
                numbered_sum(workers, elements));
      }
    }
  });
}

TEST_CASE("a worker pushes the payload once, a server returns its partitions to every worker") {
  for_every_push_pull(
      [](const PushPull& schedule, int workers, int servers, std::int64_t partitions) {
        const auto execution = execute_numbered(schedule);

        for (int rank = 0; rank < workers + servers; ++rank) {
          const std::int64_t server = rank - workers;
          const std::int64_t handled = (partitions - server + servers - 1) / servers;
          CHECK(execution.units_sent[static_cast<std::size_t>(rank)] ==
                (server < 0 ? partitions : std::max<std::int64_t>(0, handled) * workers));
        }
      });
}

/// The node of each worker, for nodes of these sizes; nodes take their workers in turn.
std::vector<int> nodes_of(std::vector<int> sizes) {
  std::vector<int> node_of_worker;
  for (bool is_dealt = true; is_dealt;) {
    is_dealt = false;
    for (std::size_t node = 0; node < sizes.size(); ++node) {
      if (sizes[node]-- <= 0) continue;
      node_of_worker.push_back(static_cast<int>(node));
      is_dealt = true;
    }
  }
  return node_of_worker;
}

template <typename Check>
void for_every_push_pull_of_nodes(Check check) {
  std::vector<std::vector<int>> all = {{3, 1, 2}, {2, 4}, {1, 3, 4}};
  for (int nodes = 1; nodes <= 8; ++nodes) {
    for (int devices = 1; devices <= 4; ++devices)
      all.emplace_back(static_cast<std::size_t>(nodes), devices);
  }
  for (const std::vector<int>& sizes : all) {
    for (const int servers : {1, 2, 3}) {
      for (const std::int64_t partitions : {1, 3, 7, 40}) {
        CAPTURE(sizes, servers, partitions);
        check(PushPull(nodes_of(sizes), servers, partitions), sizes, servers, partitions);
      }
    }
  }
}

TEST_CASE("push-pull that sums in nodes first leaves the sum over workers on every worker") {
  for_every_push_pull_of_nodes(
      [](const PushPull& schedule, const std::vector<int>&, int servers, std::int64_t) {
        for (const int elements : {1, 500}) {
          const auto execution = execute_numbered(schedule, elements);

          REQUIRE(execution.problem.empty());
          for (int worker = 0; worker < schedule.ranks() - servers; ++worker) {
            REQUIRE(execution.payloads[static_cast<std::size_t>(worker)] ==
                    numbered_sum(schedule.ranks() - servers, elements));
          }
        }
      });
}

TEST_CASE("a node of n workers pushes and pulls S bytes, and moves 2(n-1)S inside") {
  for_every_push_pull_of_nodes([](const PushPull& schedule,
                                  const std::vector<int>& sizes,
                                  int servers,
                                  std::int64_t partitions) {
    const std::vector<int> node_of = nodes_of(sizes);
    const int workers = schedule.ranks() - servers;
    std::vector<std::int64_t> pushed(sizes.size());
    std::vector<std::int64_t> pulled(sizes.size());
    std::vector<std::int64_t> inside(sizes.size());
    for (int worker = 0; worker < workers; ++worker) {
      const auto node = static_cast<std::size_t>(node_of[static_cast<std::size_t>(worker)]);
      for (std::int64_t index = 0; index < schedule.rounds(worker); ++index) {
        for (const Action& action : schedule.round(worker, index)) {
          const bool sends = action.kind == ActionKind::send;
          if (action.peer >= workers) {
            (sends ? pushed : pulled)[node] += action.block.size();
            const std::int64_t partition = action.block.begin / (schedule.divisions() / partitions);
            REQUIRE(action.peer == workers + partition % servers);
          } else {
            REQUIRE(static_cast<std::size_t>(node_of[static_cast<std::size_t>(action.peer)]) ==
                    node);
            if (sends) inside[node] += action.block.size();
          }
        }
      }
    }
    for (std::size_t node = 0; node < sizes.size(); ++node) {
      REQUIRE(pushed[node] == schedule.divisions());
      REQUIRE(pulled[node] == schedule.divisions());
      REQUIRE(inside[node] == 2 * (sizes[node] - 1) * schedule.divisions());
    }
  });
}

TEST_CASE("workers of a node scatter, push, pull and gather different partitions in one round") {
  const PushPull schedule({0, 0, 1, 1}, 1, 6);  // parts of 1 of 12 units

  CHECK(schedule.round(1, 3) == Round{{ActionKind::send, 0, Block{6, 7}},
                                      {ActionKind::receive_add, 0, Block{7, 8}},
                                      {ActionKind::send, 4, Block{5, 6}},
                                      {ActionKind::receive, 4, Block{3, 4}},
                                      {ActionKind::send, 0, Block{1, 2}},
                                      {ActionKind::receive, 0, Block{0, 1}}});
  CHECK(schedule.rounds(0) == 9);
  CHECK(schedule.rounds(4) == 7);
}

TEST_CASE("push-pull of all-reduce names sums in nodes, unless there is only one") {
  const auto rounds_of_first = [](std::vector<int> nodes) {
    std::vector<WorkerInfo> workers;
    Communicator all{.ranks = {}, .all_reduce = {.servers = 1, .partition_bytes = 10}};
    for (const int node : nodes) {
      all.ranks.push_back(static_cast<int>(workers.size()));
      workers.emplace_back().node = node;
    }
    return make_all_reduce(all, workers, 60)->rounds(0);
  };

  CHECK(rounds_of_first({0, 1, 0}) == 7);
  CHECK(rounds_of_first({0, 0, 1}) == 9);
  CHECK(rounds_of_first({0, 0, 0}) == 7);
}

TEST_CASE("partition i is pushed to and pulled from server i mod servers") {
  const PushPull schedule(4, 3, 20);

  for (int worker = 0; worker < 4; ++worker) {
    for (std::int64_t index = 0; index < schedule.rounds(worker); ++index) {
      for (const Action& action : schedule.round(worker, index)) {
        CHECK(action.peer == 4 + action.block.begin % 3);
        CHECK(action.block.size() == 1);
      }
    }
  }
}

TEST_CASE("a push-pull round pushes partitions and pulls those of the previous round") {
  const PushPull schedule(4, 2, 6);

  CHECK(schedule.round(1, 1) == Round{{ActionKind::send, 4, Block{2, 3}},
                                      {ActionKind::send, 5, Block{3, 4}},
                                      {ActionKind::receive, 4, Block{0, 1}},
                                      {ActionKind::receive, 5, Block{1, 2}}});
  CHECK(schedule.rounds(0) == 4);
  CHECK(schedule.rounds(5) == 4);
}

TEST_CASE("push-pull still runs to its end when repeated rounds are omitted") {
  for_every_push_pull([](const PushPull& schedule, int workers, int servers, std::int64_t) {
    for (const RepeatedRounds& run : schedule.repeated()) {
      for (std::int64_t index = run.begin; index + 1 < run.end; ++index) {
        for (int rank = 0; rank < workers + servers; ++rank) {
          const Round now = schedule.round(rank, index);
          const Round next = schedule.round(rank, index + run.period);
          REQUIRE(std::equal(now.begin(),
                             now.end(),
                             next.begin(),
                             next.end(),
                             [](const Action& a, const Action& b) {
                               return a.kind == b.kind && a.peer == b.peer;
                             }));
        }
      }
    }
    for (const int kept : {0, 1, 3}) {
      CHECK(execute_numbered(Shortened(schedule, 1, kept)).problem.empty());
    }
  });
}

TEST_CASE("push-pull that sums in nodes runs to its end when repeated rounds are omitted") {
  for_every_push_pull_of_nodes([](const PushPull& schedule,
                                  const std::vector<int>& sizes,
                                  int servers,
                                  std::int64_t partitions) {
    const int largest = *std::max_element(sizes.begin(), sizes.end());
    for (const RepeatedRounds& run : schedule.repeated()) {
      CHECK(run.begin == 2 * largest - 1);
      for (int rank = 0; rank < schedule.ranks(); ++rank) {
        const Round first = schedule.round(rank, run.begin);
        const Round last = schedule.round(rank, run.end - 1);
        REQUIRE(std::equal(first.begin(),
                           first.end(),
                           last.begin(),
                           last.end(),
                           [](const Action& a, const Action& b) {
                             return a.kind == b.kind && a.peer == b.peer &&
                                    a.block.size() == b.block.size();
                           }));
      }
    }
    REQUIRE(schedule.repeated().empty() == (partitions / servers <= 2 * largest - 1));
    for (const int kept : {0, 1, 3}) {
      CHECK(execute_numbered(Shortened(schedule, 1, kept)).problem.empty());
    }
  });
}

TEST_CASE("push-pull cuts the payload into partitions of at most the given size") {
  CHECK(PushPull::partitions_for(0, 4'096'000) == 1);
  CHECK(PushPull::partitions_for(4'096'000, 4'096'000) == 1);
  CHECK(PushPull::partitions_for(4'096'001, 4'096'000) == 2);
  CHECK_THROWS_WITH(PushPull::partitions_for(4, 0), "a partition needs at least one byte");
}

TEST_CASE("push-pull without workers, servers or partitions is refused") {
  CHECK_THROWS_WITH(PushPull(0, 1, 1), "push-pull needs at least one worker");
  CHECK_THROWS_WITH(PushPull(1, 0, 1), "push-pull needs at least one summation server");
  CHECK_THROWS_WITH(PushPull(1, 1, 0), "push-pull needs at least one partition");
}

}  // namespace
}  // namespace epochcast::tests
