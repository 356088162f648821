// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collectives/schedule.hpp"
#include "core/fabric.hpp"

namespace epochcast {

enum class NcclAlgorithm { ring, tree };
/// LL sends 4 bytes of flag after each 4 of data, LL128 8 after each 120; Simple has none, but
/// waits longer between pieces.
enum class NcclProtocol { ll, ll128, simple };

/// An all-reduce of NCCL.
struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;

  bool operator==(const NcclChoice&) const = default;
};

/// A group of ranks, as NCCL's tuning sees it.
struct NcclGroup {
  int ranks = 1;
  int nodes = 1;
  NodeLinks links;
};

/// NCCL's choice for an all-reduce of `bytes`: of ring and tree, each with LL, LL128 and Simple,
/// the one with the least nccl_estimate_s(). LL128 needs NVLink in nodes of several ranks.
///
/// The model and the constants are those of NCCL 2.20 (src/graph/tuning.cc) for Ampere GPUs and
/// Intel CPUs; docs/simulator.md has them.
[[nodiscard]] NcclChoice nccl_choice(const NcclGroup& group, std::int64_t bytes);

/// NCCL's own estimate of an all-reduce's seconds: latencies of the longest chain of messages, and
/// bytes over bandwidth.
[[nodiscard]] double nccl_estimate_s(const NcclGroup& group,
                                     const NcclChoice& choice,
                                     std::int64_t bytes);

/// The same latencies, and the overhead in bytes and the limits of bandwidth that the estimate
/// counts. `start_s` also has the launch of a kernel.
[[nodiscard]] MessageTransport nccl_transport(const NcclGroup& group, const NcclChoice& choice);

/// The same of a reduce-scatter or an all-gather of `bytes` in all: half of a ring, in the protocol
/// with the least estimate.
[[nodiscard]] MessageTransport nccl_half_transport(const NcclGroup& group, std::int64_t bytes);

/// Channels that share the payload: two for each 25 GB/s (assumed; NCCL searches the topology).
[[nodiscard]] int nccl_channels(const NcclGroup& group);

/// Pieces of the payload that follow each other through a tree: NCCL halves those of a channel,
/// from 512 KiB (Simple), until the tree is full, but not below 32 KiB.
[[nodiscard]] std::int64_t nccl_tree_segments(const NcclGroup& group,
                                              NcclProtocol protocol,
                                              std::int64_t bytes);

}  // namespace epochcast
