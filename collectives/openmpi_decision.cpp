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

}  // namespace epochcast
