// SPDX-License-Identifier: Apache-2.0
#include "collectives/openmpi_decision.hpp"

#include <bit>
#include <limits>
#include <span>

namespace epochcast {
namespace {

constexpr std::int64_t kAnyRanks = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kAnyBytes = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kElementBytes = 4;

/// A row applies to communicators of fewer ranks and messages of fewer bytes; the first one that
/// applies is used.
template <typename Choice>
struct Row {
  std::int64_t ranks_below;
  std::int64_t bytes_below;
  Choice choice;
};

using enum OpenMpiAllReduce;
constexpr Row<OpenMpiAllReduce> kAllReduce[] = {
    {4, 8, ring},
    {4, 4096, recursive_doubling},
    {4, 8192, ring},
    {4, 16384, recursive_doubling},
    {4, 65536, ring},
    {4, 262144, segmented_ring},
    {4, kAnyBytes, rabenseifner},
    {8, 16, ring},
    {8, 8192, recursive_doubling},
    {8, kAnyBytes, rabenseifner},
    {16, 8192, recursive_doubling},
    {16, kAnyBytes, rabenseifner},
    {32, 64, segmented_ring},
    {32, 4096, recursive_doubling},
    {32, kAnyBytes, rabenseifner},
    {64, 128, segmented_ring},
    {64, kAnyBytes, rabenseifner},
    {128, 262144, recursive_doubling},
    {128, kAnyBytes, rabenseifner},
    {256, 131072, nonoverlapping},
    {256, 262144, recursive_doubling},
    {256, kAnyBytes, rabenseifner},
    {512, 4096, nonoverlapping},
    {512, kAnyBytes, rabenseifner},
    {2048, 2048, nonoverlapping},
    {2048, 16384, recursive_doubling},
    {2048, kAnyBytes, rabenseifner},
    {4096, 2048, nonoverlapping},
    {4096, 4096, segmented_ring},
    {4096, 16384, recursive_doubling},
    {4096, kAnyBytes, rabenseifner},
    {kAnyRanks, 2048, nonoverlapping},
    {kAnyRanks, 16384, segmented_ring},
    {kAnyRanks, 32768, recursive_doubling},
    {kAnyRanks, kAnyBytes, rabenseifner},
};

constexpr Row<OpenMpiReduce> kReduce[] = {
    {2048, kAnyBytes, OpenMpiReduce::binomial},
    {4096, 512, OpenMpiReduce::binomial},
    {4096, 1024, OpenMpiReduce::in_order_binary},
    {4096, kAnyBytes, OpenMpiReduce::binomial},
    {kAnyRanks, 16, OpenMpiReduce::binomial},
    {kAnyRanks, 32, OpenMpiReduce::in_order_binary},
    {kAnyRanks, 1024, OpenMpiReduce::binomial},
    {kAnyRanks, kAnyBytes, OpenMpiReduce::in_order_binary},
};

constexpr Row<OpenMpiBroadcast> kBroadcast[] = {
    {256, 16384, OpenMpiBroadcast::binary},
    {256, 32768, OpenMpiBroadcast::linear},
    {256, 65536, OpenMpiBroadcast::binary},
    {256, kAnyBytes, OpenMpiBroadcast::four_nomial},
    {kAnyRanks, kAnyBytes, OpenMpiBroadcast::four_nomial},
};

constexpr Row<OpenMpiReduceScatter> kReduceScatter[] = {
    {4, 65536, OpenMpiReduceScatter::ring},
    {4, 131072, OpenMpiReduceScatter::butterfly},
    {4, kAnyBytes, OpenMpiReduceScatter::ring},
    {8, 8, OpenMpiReduceScatter::non_overlapping},
    {8, 262144, OpenMpiReduceScatter::recursive_halving},
    {8, kAnyBytes, OpenMpiReduceScatter::ring},
    {32, 262144, OpenMpiReduceScatter::recursive_halving},
    {32, kAnyBytes, OpenMpiReduceScatter::ring},
    {64, 64, OpenMpiReduceScatter::non_overlapping},
    {64, 2048, OpenMpiReduceScatter::recursive_halving},
    {64, 524288, OpenMpiReduceScatter::butterfly},
    {64, kAnyBytes, OpenMpiReduceScatter::ring},
    {128, 256, OpenMpiReduceScatter::non_overlapping},
    {128, 512, OpenMpiReduceScatter::recursive_halving},
    {128, 2048, OpenMpiReduceScatter::butterfly},
    {128, 4096, OpenMpiReduceScatter::recursive_halving},
    {128, kAnyBytes, OpenMpiReduceScatter::butterfly},
    {256, 256, OpenMpiReduceScatter::non_overlapping},
    {256, 512, OpenMpiReduceScatter::recursive_halving},
    {256, kAnyBytes, OpenMpiReduceScatter::butterfly},
    {512, 256, OpenMpiReduceScatter::non_overlapping},
    {512, 1024, OpenMpiReduceScatter::recursive_halving},
    {512, kAnyBytes, OpenMpiReduceScatter::butterfly},
    {1024, 512, OpenMpiReduceScatter::non_overlapping},
    {1024, 2048, OpenMpiReduceScatter::recursive_halving},
    {1024, 8192, OpenMpiReduceScatter::butterfly},
    {1024, 16384, OpenMpiReduceScatter::recursive_halving},
    {1024, kAnyBytes, OpenMpiReduceScatter::butterfly},
    {2048, 512, OpenMpiReduceScatter::non_overlapping},
    {2048, 4096, OpenMpiReduceScatter::recursive_halving},
    {2048, 16384, OpenMpiReduceScatter::butterfly},
    {2048, 32768, OpenMpiReduceScatter::recursive_halving},
    {2048, kAnyBytes, OpenMpiReduceScatter::butterfly},
    {4096, 512, OpenMpiReduceScatter::non_overlapping},
    {4096, 4096, OpenMpiReduceScatter::recursive_halving},
    {4096, kAnyBytes, OpenMpiReduceScatter::butterfly},
    {kAnyRanks, 1024, OpenMpiReduceScatter::non_overlapping},
    {kAnyRanks, 8192, OpenMpiReduceScatter::recursive_halving},
    {kAnyRanks, kAnyBytes, OpenMpiReduceScatter::butterfly},
};

/// By the mean part.
constexpr Row<OpenMpiAllGather> kAllGather[] = {
    {3, 2048, OpenMpiAllGather::ring},
    {3, 4096, OpenMpiAllGather::two_ranks},
    {3, 8192, OpenMpiAllGather::ring},
    {3, kAnyBytes, OpenMpiAllGather::two_ranks},
    {8, 256, OpenMpiAllGather::gather_broadcast},
    {8, 4096, OpenMpiAllGather::neighbor},
    {8, 8192, OpenMpiAllGather::ring},
    {8, 16384, OpenMpiAllGather::neighbor},
    {8, 262144, OpenMpiAllGather::bruck},
    {8, kAnyBytes, OpenMpiAllGather::neighbor},
    {16, 1024, OpenMpiAllGather::gather_broadcast},
    {16, kAnyBytes, OpenMpiAllGather::bruck},
    {32, 128, OpenMpiAllGather::gather_broadcast},
    {32, 262144, OpenMpiAllGather::bruck},
    {32, kAnyBytes, OpenMpiAllGather::ring},
    {64, 256, OpenMpiAllGather::gather_broadcast},
    {64, 8192, OpenMpiAllGather::bruck},
    {64, kAnyBytes, OpenMpiAllGather::ring},
    {128, 256, OpenMpiAllGather::gather_broadcast},
    {128, 4096, OpenMpiAllGather::bruck},
    {128, kAnyBytes, OpenMpiAllGather::ring},
    {256, 1024, OpenMpiAllGather::bruck},
    {256, 65536, OpenMpiAllGather::neighbor},
    {256, kAnyBytes, OpenMpiAllGather::ring},
    {512, 1024, OpenMpiAllGather::bruck},
    {512, kAnyBytes, OpenMpiAllGather::ring},
    {1024, 512, OpenMpiAllGather::bruck},
    {1024, 1024, OpenMpiAllGather::gather_broadcast},
    {1024, 4096, OpenMpiAllGather::bruck},
    {1024, 1048576, OpenMpiAllGather::neighbor},
    {1024, kAnyBytes, OpenMpiAllGather::ring},
    {kAnyRanks, 4096, OpenMpiAllGather::bruck},
    {kAnyRanks, kAnyBytes, OpenMpiAllGather::neighbor},
};

/// The last row of a table applies to everything.
template <typename Choice>
Choice choose(std::span<const Row<Choice>> rows, int ranks, std::int64_t bytes) {
  for (const Row<Choice>& row : rows) {
    if (ranks < row.ranks_below && bytes < row.bytes_below) return row.choice;
  }
  return rows.back().choice;
}

}  // namespace

OpenMpiAllReduce openmpi_fixed_decision(int ranks, std::int64_t bytes) {
  return choose<OpenMpiAllReduce>(kAllReduce, ranks, bytes);
}

OpenMpiAllReduce openmpi_all_reduce(int ranks, std::int64_t bytes) {
  const std::int64_t elements = bytes / kElementBytes;
  OpenMpiAllReduce algorithm = openmpi_fixed_decision(ranks, bytes);
  if (algorithm == segmented_ring) algorithm = ring;
  if (algorithm == ring && elements < ranks) return recursive_doubling;
  if (algorithm == rabenseifner && elements < std::bit_floor(static_cast<unsigned>(ranks))) {
    return linear;
  }
  return algorithm;
}

OpenMpiReduce openmpi_reduce(int ranks, std::int64_t bytes) {
  return choose<OpenMpiReduce>(kReduce, ranks, bytes);
}

OpenMpiBroadcast openmpi_broadcast(int ranks, std::int64_t bytes) {
  return choose<OpenMpiBroadcast>(kBroadcast, ranks, bytes);
}

OpenMpiReduceScatter openmpi_reduce_scatter(int ranks, std::int64_t bytes) {
  return choose<OpenMpiReduceScatter>(kReduceScatter, ranks, bytes);
}

OpenMpiAllGather openmpi_all_gather(int ranks, std::int64_t bytes) {
  const auto algorithm = choose<OpenMpiAllGather>(kAllGather, ranks, bytes / ranks);
  const bool is_odd = ranks % 2 != 0;
  return algorithm == OpenMpiAllGather::neighbor && is_odd ? OpenMpiAllGather::ring : algorithm;
}

}  // namespace epochcast
