// SPDX-License-Identifier: Apache-2.0
#include "collectives/openmpi.hpp"

#include <algorithm>

#include "collectives/linear.hpp"
#include "collectives/openmpi_decision.hpp"
#include "collectives/rabenseifner.hpp"
#include "collectives/recursive_doubling.hpp"
#include "collectives/reduce_broadcast.hpp"
#include "collectives/ring.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

using enum OpenMpiAllReduce;

/// One line of the decision function: its algorithm for messages of `bytes`, and of one byte less.
struct Threshold {
  int ranks;
  std::int64_t bytes;
  OpenMpiAllReduce below;
  OpenMpiAllReduce from;
};

// ompi_coll_tuned_allreduce_intra_dec_fixed in ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
// v4.1.x, the branch for commutative operations; "alg" 1 to 6 are the values of OpenMpiAllReduce.
constexpr Threshold kThresholds[] = {
    {2, 8, ring, recursive_doubling},
    {3, 4096, recursive_doubling, ring},
    {3, 16384, recursive_doubling, ring},
    {3, 65536, ring, segmented_ring},
    {3, 262144, segmented_ring, rabenseifner},
    {4, 16, ring, recursive_doubling},
    {7, 8192, recursive_doubling, rabenseifner},
    {8, 8192, recursive_doubling, rabenseifner},
    {16, 64, segmented_ring, recursive_doubling},
    {31, 4096, recursive_doubling, rabenseifner},
    {32, 128, segmented_ring, rabenseifner},
    {64, 262144, recursive_doubling, rabenseifner},
    {127, 262144, recursive_doubling, rabenseifner},
    {128, 131072, nonoverlapping, recursive_doubling},
    {255, 262144, recursive_doubling, rabenseifner},
    {256, 4096, nonoverlapping, rabenseifner},
    {512, 2048, nonoverlapping, recursive_doubling},
    {1024, 16384, recursive_doubling, rabenseifner},
    {2048, 2048, nonoverlapping, segmented_ring},
    {4095, 4096, segmented_ring, recursive_doubling},
    {4096, 2048, nonoverlapping, segmented_ring},
    {4096, 16384, segmented_ring, recursive_doubling},
    {10'000, 32768, recursive_doubling, rabenseifner},
};

TEST_CASE("the fixed decision changes algorithm exactly where Open MPI 4.1 does") {
  for (const Threshold& threshold : kThresholds) {
    CAPTURE(threshold.ranks, threshold.bytes);
    CHECK(openmpi_fixed_decision(threshold.ranks, threshold.bytes - 1) == threshold.below);
    CHECK(openmpi_fixed_decision(threshold.ranks, threshold.bytes) == threshold.from);
  }
}

TEST_CASE(
    "a gradient of 45 MB is reduced by Rabenseifner's algorithm at every size from 2 to 4,096") {
  for (const int ranks : {2, 4, 8, 12, 16, 50, 74, 128, 300, 1000, 4096}) {
    CHECK(openmpi_all_reduce(ranks, 44'700'000) == rabenseifner);
  }
}

TEST_CASE("without a segment size the segmented ring runs as a ring") {
  // coll_base_allreduce.c: count < size · segcount, and segcount is count when segsize is 0.
  CHECK(openmpi_fixed_decision(2, 100'000) == segmented_ring);
  CHECK(openmpi_all_reduce(2, 100'000) == ring);
}

TEST_CASE("a ring of fewer elements than ranks runs as recursive doubling") {
  CHECK(openmpi_fixed_decision(6, 12) == ring);
  CHECK(openmpi_all_reduce(6, 12) == recursive_doubling);
  CHECK(openmpi_fixed_decision(20, 60) == segmented_ring);
  CHECK(openmpi_all_reduce(20, 60) == recursive_doubling);
}

TEST_CASE("Rabenseifner of fewer elements than the power of two below P runs as linear") {
  CHECK(openmpi_all_reduce(16'384, 65'536) == rabenseifner);
  CHECK(openmpi_all_reduce(16'384, 65'532) == linear);
}

TEST_CASE("nonoverlapping reduces and broadcasts along the trees of Open MPI 4.1") {
  // ompi_coll_tuned_reduce_intra_dec_fixed and ompi_coll_tuned_bcast_intra_dec_fixed, same file.
  CHECK(openmpi_reduce(200, 65'536) == OpenMpiReduce::binomial);
  CHECK(openmpi_reduce(3'000, 511) == OpenMpiReduce::binomial);
  CHECK(openmpi_reduce(3'000, 512) == OpenMpiReduce::in_order_binary);
  CHECK(openmpi_reduce(3'000, 1'024) == OpenMpiReduce::binomial);
  CHECK(openmpi_reduce(5'000, 16) == OpenMpiReduce::in_order_binary);
  CHECK(openmpi_reduce(5'000, 32) == OpenMpiReduce::binomial);
  CHECK(openmpi_reduce(5'000, 1'024) == OpenMpiReduce::in_order_binary);
  CHECK(openmpi_broadcast(200, 16'383) == OpenMpiBroadcast::binary);
  CHECK(openmpi_broadcast(200, 16'384) == OpenMpiBroadcast::linear);
  CHECK(openmpi_broadcast(200, 32'768) == OpenMpiBroadcast::binary);
  CHECK(openmpi_broadcast(200, 65'536) == OpenMpiBroadcast::four_nomial);
  CHECK(openmpi_broadcast(256, 4'095) == OpenMpiBroadcast::four_nomial);
}

template <typename Expected>
bool is_made(int ranks, std::int64_t bytes) {
  const auto schedule = make_openmpi_all_reduce(ranks, bytes);
  return dynamic_cast<const Expected*>(schedule.get()) != nullptr;
}

TEST_CASE("openmpi runs the schedule of the chosen algorithm") {
  CHECK(is_made<Ring>(2, 100'000));
  CHECK(is_made<RecursiveDoubling>(16, 1'000));
  CHECK(is_made<Rabenseifner>(16, 45'000'000));
  CHECK(is_made<ReduceBroadcast>(128, 1'000));
  CHECK(is_made<Linear>(16'384, 65'532));
}

TEST_CASE("openmpi leaves the sum on every rank of large groups") {
  struct Size {
    int ranks;
    std::int64_t bytes;
  };
  for (const Size size : {Size{130, 1'000},
                          Size{200, 20'000},
                          Size{200, 100'000},
                          Size{300, 2'000},
                          Size{2'100, 600},
                          Size{16'384, 40'000}}) {
    CAPTURE(size.ranks, size.bytes);

    const auto execution = execute_numbered(*make_openmpi_all_reduce(size.ranks, size.bytes), 2);

    REQUIRE(execution.problem.empty());
    const auto sum = numbered_sum(size.ranks, 2);
    const auto has_sum = [&](const auto& payload) { return payload == sum; };
    CHECK(std::all_of(execution.payloads.begin(), execution.payloads.end(), has_sum));
  }
}

/// One line of a decision function: its algorithm for `bytes`, and for one byte less (a rank, for
/// all-gathers).
template <typename Choice>
struct ScatterThreshold {
  int ranks;
  std::int64_t bytes;
  Choice below;
  Choice from;
};

TEST_CASE("the reduce-scatter changes algorithm exactly where Open MPI 4.1 does") {
  using Choice = OpenMpiReduceScatter;
  constexpr ScatterThreshold<Choice> kLines[] = {
      {2, 65536, Choice::ring, Choice::butterfly},
      {3, 131072, Choice::butterfly, Choice::ring},
      {4, 262144, Choice::recursive_halving, Choice::ring},
      {8, 262144, Choice::recursive_halving, Choice::ring},
      {31, 262144, Choice::recursive_halving, Choice::ring},
      {32, 2048, Choice::recursive_halving, Choice::butterfly},
      {63, 524288, Choice::butterfly, Choice::ring},
      {64, 4096, Choice::recursive_halving, Choice::butterfly},
      {255, 256, Choice::non_overlapping, Choice::recursive_halving},
      {256, 1024, Choice::recursive_halving, Choice::butterfly},
      {512, 8192, Choice::butterfly, Choice::recursive_halving},
      {1024, 32768, Choice::recursive_halving, Choice::butterfly},
      {4095, 4096, Choice::recursive_halving, Choice::butterfly},
      {4096, 8192, Choice::recursive_halving, Choice::butterfly},
  };
  for (const auto& [ranks, bytes, below, from] : kLines) {
    CAPTURE(ranks, bytes);
    CHECK(openmpi_reduce_scatter(ranks, bytes - 1) == below);
    CHECK(openmpi_reduce_scatter(ranks, bytes) == from);
  }
}

TEST_CASE("the all-gather changes algorithm exactly where Open MPI 4.1 does, by the mean part") {
  using Choice = OpenMpiAllGather;
  constexpr ScatterThreshold<Choice> kLines[] = {
      {2, 4096, Choice::two_ranks, Choice::ring},
      {2, 8192, Choice::ring, Choice::two_ranks},
      {3, 4096, Choice::ring, Choice::ring},  // a neighbour exchange of an even number of ranks
      {4, 4096, Choice::neighbor, Choice::ring},
      {6, 262144, Choice::bruck, Choice::neighbor},
      {7, 262144, Choice::bruck, Choice::ring},
      {8, 1024, Choice::gather_broadcast, Choice::bruck},
      {16, 262144, Choice::bruck, Choice::ring},
      {63, 8192, Choice::bruck, Choice::ring},
      {127, 4096, Choice::bruck, Choice::ring},
      {128, 65536, Choice::neighbor, Choice::ring},
      {256, 1024, Choice::bruck, Choice::ring},
      {512, 1048576, Choice::neighbor, Choice::ring},
      {1024, 4096, Choice::bruck, Choice::neighbor},
  };
  for (const auto& [ranks, part_bytes, below, from] : kLines) {
    CAPTURE(ranks, part_bytes);
    CHECK(openmpi_all_gather(ranks, ranks * (part_bytes - 1)) == below);
    CHECK(openmpi_all_gather(ranks, ranks * part_bytes) == from);
  }
}

TEST_CASE("a gradient of 45 MB is reduce-scattered and gathered as Open MPI 4.1 does") {
  const std::int64_t bytes = 44'700'000;

  CHECK(make_openmpi_reduce_scatter(Parts::equal(4), bytes)->rounds(0) == 3);    // ring
  CHECK(make_openmpi_all_gather(Parts::equal(4), bytes)->rounds(0) == 2);        // neighbour
  CHECK(make_openmpi_all_gather(Parts::equal(12), bytes)->rounds(0) == 4);       // Bruck
  CHECK(make_openmpi_reduce_scatter(Parts::equal(100), bytes)->rounds(0) == 7);  // butterfly
}

}  // namespace
}  // namespace epochcast::tests
