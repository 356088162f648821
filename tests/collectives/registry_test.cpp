// SPDX-License-Identifier: Apache-2.0
#include "collectives/registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

/// Sizes at which openmpi and the segmented algorithms change their schedule.
constexpr std::int64_t kSizes[] = {4, 100, 12'000, 100'000, 6'000'000, 200'000'000};

/// Enough for two levels of each tree, with and without ranks left over, and for uneven nodes.
constexpr int kFewRanks = 9;
constexpr int kManyRanks = 64;

/// Calls `check(schedule, name, ranks)` for every name, rank count up to `most_ranks`, node size
/// and payload size tested.
template <typename Check>
void for_every_schedule(int most_ranks, Check check) {
  for (const AllReduceName& known : all_reduce_names()) {
    for (const int ranks : tested_rank_counts()) {
      if (ranks > most_ranks) continue;
      for (const int per_node : {1, 2, 3, 4, 64}) {
        if (per_node > 1 && !known.depends_on_nodes) continue;
        for (const std::int64_t bytes : kSizes) {
          if (bytes > 6'000'000 && ranks > 17) continue;  // thousands of segments add nothing new
          CAPTURE(known.name, ranks, per_node, bytes);
          check(*make_all_reduce(known.name, shape_of(ranks, per_node), bytes), known.name, ranks);
        }
      }
    }
  }
}

bool is_same_pattern(const Round& one, const Round& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(), [](const Action& a, const Action& b) {
        return a.kind == b.kind && a.peer == b.peer && a.block.size() == b.block.size();
      });
}

void check_sums(int most_ranks) {
  for_every_schedule(most_ranks, [](const Schedule& schedule, std::string_view, int ranks) {
    REQUIRE(schedule.ranks() == ranks);
    for (const int elements : {1, 7, 3 * ranks + 1, 128}) {
      const auto execution = execute_numbered(schedule, elements);

      REQUIRE(execution.problem.empty());
      const std::vector<std::int64_t> sum = numbered_sum(ranks, elements);
      const auto has_sum = [&](const auto& payload) { return payload == sum; };
      REQUIRE(std::all_of(execution.payloads.begin(), execution.payloads.end(), has_sum));
    }
  });
}

TEST_CASE("every all-reduce leaves the sum on every rank") { check_sums(kFewRanks); }

TEST_CASE("every all-reduce leaves the sum on every rank of many", "[long]") {
  check_sums(kManyRanks);
}

TEST_CASE("an all-reduce of one rank has no rounds") {
  for (const AllReduceName& known : all_reduce_names()) {
    CAPTURE(known.name);
    for (const std::int64_t bytes : kSizes) {
      CHECK(make_all_reduce(known.name, shape_of(1, 1), bytes)->rounds(0) == 0);
    }
  }
}

TEST_CASE("repeated rounds are disjoint, ascending and inside every rank's rounds") {
  for_every_schedule(kManyRanks, [](const Schedule& schedule, std::string_view, int ranks) {
    std::int64_t end = 0;
    for (const RepeatedRounds& run : schedule.repeated()) {
      REQUIRE(run.begin >= end);
      REQUIRE(run.end > run.begin);
      REQUIRE(run.period >= 1);
      end = run.end;
    }
    for (int rank = 0; rank < ranks; ++rank) REQUIRE(end <= schedule.rounds(rank));
  });
}

TEST_CASE("in repeated rounds every rank has the same actions, peers and sizes after each period") {
  for_every_schedule(kManyRanks, [](const Schedule& schedule, std::string_view, int ranks) {
    bool is_periodic = true;
    for (const RepeatedRounds& run : schedule.repeated()) {
      for (std::int64_t index = run.begin; index + run.period < run.end; ++index) {
        for (int rank = 0; rank < ranks; ++rank) {
          is_periodic = is_periodic && is_same_pattern(schedule.round(rank, index),
                                                       schedule.round(rank, index + run.period));
        }
      }
    }
    REQUIRE(is_periodic);
  });
}

void check_omitted_periods(int most_ranks) {
  for_every_schedule(most_ranks, [](const Schedule& schedule, std::string_view, int) {
    for (const int skipped : {0, 1, 2}) {
      for (const int kept : {0, 1, 3}) {
        REQUIRE(execute_numbered(Shortened(schedule, skipped, kept)).problem.empty());
      }
    }
  });
}

TEST_CASE("a schedule runs to its end when whole periods of its repeated rounds are omitted") {
  check_omitted_periods(kFewRanks);
}

TEST_CASE("a schedule of many ranks runs to its end when periods are omitted", "[long]") {
  check_omitted_periods(kManyRanks);
}

TEST_CASE("ring, segmented-ring, hierarchical and double-binary-tree repeat most of their rounds") {
  for (const std::string_view name :
       {"ring", "segmented-ring", "hierarchical", "double-binary-tree"}) {
    CAPTURE(name);
    const auto schedule = make_all_reduce(name, shape_of(64, 8), 1'000'000'000);
    std::int64_t repeated = 0;

    for (const RepeatedRounds& run : schedule->repeated()) repeated += run.end - run.begin;

    CHECK(static_cast<double>(repeated) > 0.9 * static_cast<double>(schedule->rounds(0)));
  }
}

TEST_CASE("the names of all-reduce algorithms are sorted and described in one line") {
  const auto names = all_reduce_names();

  CHECK(std::is_sorted(
      names.begin(), names.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const AllReduceName& known : names) {
    CAPTURE(known.name);
    CHECK(!known.description.empty());
    CHECK(known.description.find('\n') == std::string_view::npos);
  }
}

TEST_CASE("an unknown all-reduce algorithm is refused by name") {
  CHECK_THROWS_WITH(make_all_reduce("rign", shape_of(4, 1), 4),
                    "unknown all-reduce algorithm \"rign\"");
  CHECK_THROWS_AS(make_all_reduce("rign", shape_of(4, 1), 4), std::invalid_argument);
}

TEST_CASE("an all-reduce of no ranks is refused") {
  CHECK_THROWS_WITH(make_all_reduce("ring", GroupShape{}, 4), "a schedule needs at least one rank");
}

}  // namespace
}  // namespace epochcast::tests
