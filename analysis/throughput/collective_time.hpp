// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

enum class CollectiveLibrary { nccl, gloo };

/// `sharded_servers`: all-to-all, then all-gather; `central_server`: reduce, then broadcast.
enum class CollectiveKind {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  all_to_all,
  central_server,
  sharded_servers
};

/// Nodes with one device each, that exchange over TCP.
struct SocketLink {
  /// Of the messages of a pair of nodes.
  double pair_bytes_per_s = 0;
  /// Of everything that a node sends, and receives.
  double sent_bytes_per_s = 0;
  double received_bytes_per_s = 0;
  /// One way.
  double latency_s = 0;
  /// The time of a message beside its bytes, after a pause.
  double start_s = 0;
};

/// Seconds of one collective of `bytes` among `nodes`.
///
/// NCCL sends through two channels with slots of 512 KiB. Rings of all-reduce and all-gather pass
/// chunks of two slices of two slots each: one slice travels while the other waits out its latency.
/// Broadcast and reduce are chains of single slots.
///
/// Gloo's rings keep two segments of 1 MiB in flight. A receiver tells the sender that it is ready,
/// so a segment takes two latencies. Both phases of its all-reduce pass all but two segments, not
/// (P - 1) / P of them. Broadcast is a binomial tree of whole messages whose parents send to all
/// children at once. Reduce is the first phase, then a gather at the root. Tensors of a GPU are
/// copied to host memory and back.
[[nodiscard]] double collective_s(CollectiveLibrary library,
                                  CollectiveKind kind,
                                  double bytes,
                                  int nodes,
                                  const SocketLink& link);

}  // namespace epochcast
