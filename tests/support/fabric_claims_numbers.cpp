// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collectives/registry.hpp"
#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

/// Some numbers that differ between workers, all exact in binary.
std::vector<float> numbers_of(int rank, std::size_t count) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<float>(100 * (rank + 1)) + static_cast<float>(i) / 4);
  }
  return numbers;
}

/// Weights 1, 1/2, 1/4, ...: their products with the numbers and all sums are exact.
double weight_of(int rank) { return 1.0 / static_cast<double>(1 << rank); }

std::vector<float> weighted_sum(const std::vector<int>& ranks, std::size_t count) {
  std::vector<float> sum(count, 0);
  for (const int rank : ranks) {
    const std::vector<float> numbers = numbers_of(rank, count);
    for (std::size_t i = 0; i < count; ++i) {
      sum[i] += static_cast<float>(weight_of(rank)) * numbers[i];
    }
  }
  return sum;
}

constexpr std::size_t kCount = 7;

void world_and_nodes(Fabric& fabric, Expectations& expect) {
  const auto workers = fabric.workers();
  std::vector<int> all_ranks, neighbours;
  for (int rank = 0; rank < static_cast<int>(workers.size()); ++rank) {
    all_ranks.push_back(rank);
    if (workers[static_cast<std::size_t>(rank)].node == fabric.self().node) {
      neighbours.push_back(rank);
    }
  }
  expect.is_true(fabric.world().ranks == all_ranks, "world() holds every rank, ascending");
  expect.is_true(fabric.node().ranks == neighbours, "node() holds the ranks on this node");
}

void all_reduce_world(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers = numbers_of(fabric.rank(), kCount);

  fabric.all_reduce(payload_of(numbers), weight_of(fabric.rank()), fabric.world());

  expect.equal(numbers, weighted_sum(fabric.world().ranks, kCount), "all_reduce over world()");
}

/// Enough for unequal blocks and several segments with every algorithm.
constexpr std::size_t kLargeCount = 300'001;

void all_reduce_each_way(Fabric& fabric, Expectations& expect) {
  const std::vector<int>& all_ranks = fabric.world().ranks;
  const std::vector<float> mine = numbers_of(fabric.rank(), kLargeCount);
  const std::vector<float> expected = weighted_sum(all_ranks, kLargeCount);
  for (const AllReduceName& name : all_reduce_names()) {
    const std::string algorithm(name.name);
    const Communicator& group =
        fabric.communicator(all_ranks, {.algorithm = algorithm, .servers = {}});
    std::vector<float> numbers = mine;

    fabric.all_reduce(payload_of(numbers), weight_of(fabric.rank()), group);

    expect.equal(numbers, expected, algorithm);
  }
}

void all_reduce_groups(Fabric& fabric, Expectations& expect) {
  const bool is_outer = fabric.rank() == 0 || fabric.rank() == 3;
  const std::vector<int> ranks = is_outer ? std::vector<int>{0, 3} : std::vector<int>{1, 2};
  const Communicator& group = fabric.communicator(ranks, ring());
  std::vector<float> numbers = numbers_of(fabric.rank(), kCount);

  fabric.all_reduce(payload_of(numbers), weight_of(fabric.rank()), group);

  expect.is_true(group.ranks == ranks, "communicator() keeps the ranks");
  expect.equal(numbers, weighted_sum(ranks, kCount), "all_reduce over a group");
}

void all_reduce_without_some(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers = numbers_of(fabric.rank(), kCount);
  if (fabric.rank() != 1) {
    const Communicator& group = fabric.communicator({0, 2, 3}, ring());
    fabric.all_reduce(payload_of(numbers), weight_of(fabric.rank()), group);
  }
  const std::vector<float> expected =
      fabric.rank() == 1 ? numbers_of(1, kCount) : weighted_sum({0, 2, 3}, kCount);

  expect.equal(numbers, expected, "all_reduce over ranks 0, 2, 3");
}

void all_reduce_nodes(Fabric& fabric, Expectations& expect) {
  std::vector<float> numbers = numbers_of(fabric.rank(), kCount);

  fabric.all_reduce(payload_of(numbers), weight_of(fabric.rank()), fabric.node());

  expect.equal(numbers, weighted_sum(fabric.node().ranks, kCount), "all_reduce over node()");
}

void warm_up_before(Fabric& fabric, Expectations& expect) {
  const bool is_outer = fabric.rank() == 0 || fabric.rank() == 3;
  const std::vector<int> ranks = is_outer ? std::vector<int>{0, 3} : std::vector<int>{1, 2};
  const Communicator& group = fabric.communicator(ranks, ring());
  std::vector<float> zeros(kLargeCount);
  std::vector<float> numbers = numbers_of(fabric.rank(), kCount);

  fabric.warm_up(payload_of(zeros));
  fabric.all_reduce(payload_of(numbers), weight_of(fabric.rank()), group);

  expect.equal(zeros, std::vector<float>(kLargeCount), "a warm-up with zeros");
  expect.equal(numbers, weighted_sum(ranks, kCount), "all_reduce after a warm-up");
}

void broadcasts(Fabric& fabric, Expectations& expect) {
  for (const int root : fabric.world().ranks) {
    std::vector<float> numbers = numbers_of(fabric.rank(), kCount);
    fabric.broadcast(payload_of(numbers), root, fabric.world());
    expect.equal(numbers, numbers_of(root, kCount), "broadcast from " + std::to_string(root));
  }
}

void broadcast_in_group(Fabric& fabric, Expectations& expect) {
  if (fabric.rank() == 0) return;
  const Communicator& group = fabric.communicator({1, 2, 3}, ring());
  std::vector<float> numbers = numbers_of(fabric.rank(), kCount);

  fabric.broadcast(payload_of(numbers), 2, group);

  expect.equal(numbers, numbers_of(2, kCount), "broadcast from rank 2 in a group");
}

void gathers(Fabric& fabric, Expectations& expect) {
  std::vector<float> expected;
  for (const int rank : fabric.world().ranks) {
    const std::vector<float> part = numbers_of(rank, static_cast<std::size_t>(rank) + 1);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  const std::vector<float> untouched(expected.size(), -1);
  for (const int root : fabric.world().ranks) {
    std::vector<float> mine =
        numbers_of(fabric.rank(), static_cast<std::size_t>(fabric.rank()) + 1);
    std::vector<float> all = untouched;
    fabric.gather(payload_of(mine), payload_of(all), root, fabric.world());
    expect.equal(all,
                 fabric.rank() == root ? expected : untouched,
                 "gather at rank " + std::to_string(root));
  }
}

void all_gathers(Fabric& fabric, Expectations& expect) {
  for (const Communicator* among : {&fabric.world(), &fabric.node()}) {
    const double rank = fabric.rank();
    std::vector<double> expected;
    for (const int other : among->ranks) {
      expected.push_back(other);
      expected.push_back(other + 0.125);
    }

    const std::vector<double> mine = {rank, rank + 0.125};
    const std::vector<double> all = fabric.all_gather_numbers(mine, *among);

    expect.is_true(all == expected, "all_gather concatenates by rank");
  }
}

double sent_bytes(const Fabric& fabric) {
  return fabric.traffic().intra_node_bytes + fabric.traffic().inter_node_bytes;
}

void all_gathers_send_parts(Fabric& fabric, Expectations& expect) {
  std::vector<float> summed(1000, 1);
  const std::vector<double> mine = {1, 2};
  const double start = sent_bytes(fabric);
  fabric.all_reduce(payload_of(summed), 1, fabric.world());
  const bool counts_collectives = sent_bytes(fabric) > start;  // the fake does not

  const double before = sent_bytes(fabric);
  static_cast<void>(fabric.all_gather_numbers(mine, fabric.world()));

  const double others = fabric.world().size() - 1;
  expect.equal(sent_bytes(fabric) - before,
               counts_collectives ? others * sizeof(double) * 2 : 0,
               "bytes that a rank sends in an all-gather");
}

void sums_started_together(Fabric& fabric, Expectations& expect) {
  std::vector<float> first = numbers_of(fabric.rank(), kCount);
  std::vector<float> second = numbers_of(fabric.rank() + 4, kCount);
  const double weight = 1;
  const Request one = fabric.start_all_reduce(payload_of(first), weight, fabric.world());
  const Request two = fabric.start_all_reduce(payload_of(second), 0.5, fabric.world());
  fabric.wait(two);
  fabric.wait(one);

  std::vector<float> sum_of_first(kCount, 0), sum_of_second(kCount, 0);
  for (const int rank : fabric.world().ranks) {
    for (std::size_t i = 0; i < kCount; ++i) {
      sum_of_first[i] += numbers_of(rank, kCount)[i];
      sum_of_second[i] += 0.5F * numbers_of(rank + 4, kCount)[i];
    }
  }
  expect.equal(first, sum_of_first, "the first of two all-reduces under way");
  expect.equal(second, sum_of_second, "the second of two all-reduces under way");
}

}  // namespace

std::vector<FabricClaim> on_all_layouts(const std::string& text, const FabricProgram& program) {
  std::vector<FabricClaim> claims;
  for (const std::vector<int>& layout : std::vector<std::vector<int>>{
           {0}, {0, 0}, {0, 1}, {0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 1, 2}}) {
    claims.push_back({.text = text, .node_of_rank = layout, .program = program});
  }
  return claims;
}

std::vector<FabricClaim> claims_about_numbers() {
  std::vector<FabricClaim> claims;
  const auto add = [&](const std::string& text, const FabricProgram& program) {
    std::ranges::move(on_all_layouts(text, program), std::back_inserter(claims));
  };
  add("world() and node() hold the ranks they should", world_and_nodes);
  add("all_reduce leaves the weighted sum on all ranks", all_reduce_world);
  add("every all-reduce algorithm leaves the weighted sum on all ranks", all_reduce_each_way);
  add("all_reduce inside nodes leaves each node its own sum", all_reduce_nodes);
  add("broadcast spreads any root's payload", broadcasts);
  add("gather concatenates payloads of any size by rank, at the root alone", gathers);
  add("all_gather concatenates numbers by rank", all_gathers);
  add("in an all_gather a rank sends as much as its numbers to each other one",
      all_gathers_send_parts);
  add("two all-reduces under way at once keep their payloads apart", sums_started_together);
  for (const std::vector<int>& layout : {std::vector<int>{0, 0, 1, 1}, {0, 1, 2, 3}}) {
    claims.push_back(
        {"all_reduce in two groups at once keeps them apart", layout, all_reduce_groups});
    claims.push_back(
        {"all_reduce in a group leaves others alone", layout, all_reduce_without_some});
    claims.push_back({"a warm-up leaves later all-reduces alone", layout, warm_up_before});
    claims.push_back({"a broadcast's root is a rank of the job", layout, broadcast_in_group});
  }
  return claims;
}

}  // namespace epochcast::tests
