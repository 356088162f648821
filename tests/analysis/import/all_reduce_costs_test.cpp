// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/all_reduce_costs.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// A rank with iterations 1 and 2, of a second each.
RankProfile rank_of_two(std::vector<AllReduce> all_reduces, int rank = 0, int world_size = 2) {
  RankProfile result;
  result.profile.rank = rank;
  result.profile.world_size = world_size;
  result.profile.all_reduces = std::move(all_reduces);
  result.times.iterations = {{.number = 1, .start_s = 0, .end_s = 1},
                             {.number = 2, .start_s = 1, .end_s = 2}};
  return result;
}

AllReduce all_reduce(double start_s, double length_s, std::int64_t bytes = 8) {
  AllReduce one;
  one.start_s = start_s;
  one.end_s = start_s + length_s;
  one.backend = "gloo";
  one.bytes = bytes;
  return one;
}

TEST_CASE("the shortest of the ranks' times counts: the last rank did not wait") {
  const std::vector<RankProfile> ranks = {
      rank_of_two({all_reduce(0.5, 0.25), all_reduce(1.25, 0.125)}, 0),
      rank_of_two({all_reduce(0.625, 0.125), all_reduce(1.125, 0.25)}, 1)};

  const AllReduceCosts found = all_reduce_costs(ranks, 0);

  REQUIRE(found.costs.size() == 1);
  CHECK(found.costs[0].samples_s == std::vector<double>{0.125, 0.125});
  CHECK(found.costs[0].kind == "all-reduce");
  CHECK(found.costs[0].scope == "all");
  CHECK(found.costs[0].algorithm == "gloo");
  CHECK(found.costs[0].bytes == 8);
  CHECK(found.node_of_rank == std::vector<int>{0, 0});
  CHECK(found.counted == 2);
  CHECK_FALSE(found.includes_waiting);
}

TEST_CASE("with the profile of one rank, all-reduces include its waiting") {
  const std::vector<RankProfile> ranks = {rank_of_two({all_reduce(0.5, 0.25)})};

  const AllReduceCosts found = all_reduce_costs(ranks, 1);

  CHECK(found.counted == 1);
  CHECK(found.includes_waiting);
  CHECK(found.node_of_rank == std::vector<int>{0, 1});
}

TEST_CASE("a profile without data about other ranks gives no all-reduces") {
  const AllReduceCosts unknown =
      all_reduce_costs(std::vector{rank_of_two({all_reduce(0.5, 0.25)}, 0, 0)}, 0);
  const AllReduceCosts alone =
      all_reduce_costs(std::vector{rank_of_two({all_reduce(0.5, 0.25)}, 0, 1)}, 0);

  CHECK(unknown.uncounted == 1);
  CHECK(alone.uncounted == 0);
  CHECK(unknown.costs.empty());
  CHECK(alone.costs.empty());
}

TEST_CASE("all-reduces outside of the selected iterations are ignored") {
  const std::vector<RankProfile> ranks = {
      rank_of_two({all_reduce(-0.5, 0.25), all_reduce(2.5, 0.25)})};

  CHECK(all_reduce_costs(ranks, 0).costs.empty());
}

TEST_CASE("all-reduces that are no valid costs are left out, and counted") {
  const std::vector<RankProfile> ranks = {
      rank_of_two({all_reduce(0.25, 0.125, 0), all_reduce(0.5, 0.125, 8), all_reduce(1.5, 0.125)}),
      rank_of_two({all_reduce(0.25, 0.125, 0), all_reduce(0.5, 0.125, 16)}, 1)};

  const AllReduceCosts found = all_reduce_costs(ranks, 0);

  CHECK(found.unsized == 1);
  CHECK(found.unmatched == 2);  // one of two sizes, one that is missing on a rank
  CHECK(found.counted == 0);
}

TEST_CASE("an all-reduce that begins during another counts from that one's end") {
  AllReduce other = all_reduce(0.25, 0.5, 24);
  other.group = "other";
  const std::vector<RankProfile> ranks = {
      rank_of_two({all_reduce(0.25, 0.25, 8), other, all_reduce(0.375, 0.25, 16)}, 0, 2)};

  const AllReduceCosts found = all_reduce_costs(ranks, 1);

  REQUIRE(found.costs.size() == 3);
  CHECK(found.costs[0].samples_s == std::vector<double>{0.25});
  CHECK(found.costs[1].samples_s == std::vector<double>{0.625 - 0.5});
  CHECK(found.costs[2].samples_s == std::vector<double>{0.5});  // of another group
}

TEST_CASE("an all-reduce that overtakes another counts in full, the other from its end") {
  const std::vector<RankProfile> ranks = {
      rank_of_two({all_reduce(0.25, 0.5, 8), all_reduce(0.375, 0.125, 16)}, 0, 2)};

  const AllReduceCosts found = all_reduce_costs(ranks, 1);

  REQUIRE(found.costs.size() == 2);
  CHECK(found.costs[0].samples_s == std::vector<double>{0.75 - 0.5});
  CHECK(found.costs[1].samples_s == std::vector<double>{0.125});
}

TEST_CASE("a group is all ranks, those of a node, or left out") {
  AllReduce node = all_reduce(0.25, 0.125, 1);
  node.group_size = 2;
  node.ranks = {2, 3};
  AllReduce across = node;
  across.start_s += 0.25;
  across.ranks = {1, 3};
  AllReduce alone = across;
  alone.group_size = 1;
  alone.ranks = {3};
  const std::vector<RankProfile> ranks = {
      rank_of_two({node, across, alone, all_reduce(0.75, 0.125, 2)}, 3, 4)};

  const AllReduceCosts found = all_reduce_costs(ranks, 2);

  REQUIRE(found.costs.size() == 2);
  CHECK(found.costs[0].scope == "all");
  CHECK(found.costs[0].bytes == 2);
  CHECK(found.costs[1].scope == "node");
  CHECK(found.costs[1].bytes == 1);
  CHECK(found.partial == 1);
  CHECK(found.node_of_rank == std::vector<int>{0, 0, 1, 1});
}

}  // namespace
}  // namespace epochcast::tests
