// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/collective_time.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast {
namespace {

constexpr double kMiB = 1024.0 * 1024;

// NCCL's defaults for one device and one port per node (src/include/devcomm.h, src/collectives).
constexpr double kChannels = 2;
constexpr double kSlotBytes = 0.5 * kMiB;
constexpr double kSliceBytes = 2 * kSlotBytes;
constexpr double kSlicesPerChunk = 2;
// Between a slice's arrival and its departure: kernel, proxy thread and socket.
constexpr double kProxyS = 100e-6;
// Rings beside a single stream of messages.
constexpr double kRingLoss = 1.03;

// Gloo's default (gloo/allreduce.h), and one core's sums of two vectors.
constexpr double kSegmentBytes = kMiB;
constexpr double kSumBytesPerS = 4e9;
constexpr double kHostCopyBytesPerS = 10e9;
constexpr double kThreadS = 50e-6;

/// `hops` hops of a ring for each chunk of every node.
double nccl_ring_s(double bytes, int nodes, double hops, const SocketLink& link) {
  const double chunks = bytes / (kChannels * nodes * kSlicesPerChunk * kSliceBytes);
  // A collective of less than a chunk for each node has smaller chunks.
  const double slice_bytes = kSliceBytes * std::min(1.0, chunks);
  const double slice_s = kChannels * slice_bytes / link.pair_bytes_per_s;
  const double hop_s = std::max(kSlicesPerChunk * slice_s, slice_s + link.latency_s + kProxyS);
  return link.start_s + std::max(1.0, chunks) * hops * hop_s * kRingLoss;
}

double nccl_chain_s(double bytes, int nodes, const SocketLink& link) {
  const double slot_s = kChannels * kSlotBytes / link.pair_bytes_per_s;
  return link.start_s + bytes / link.pair_bytes_per_s * kRingLoss +
         (nodes - 1) * (slot_s + link.latency_s + kProxyS);
}

double nccl_s(CollectiveKind kind, double bytes, int nodes, const SocketLink& link) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return nccl_ring_s(bytes, nodes, 2 * (nodes - 1), link);
    case CollectiveKind::all_gather:
      return nccl_ring_s(bytes, nodes, nodes - 1, link);
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return nccl_chain_s(bytes, nodes, link);
    case CollectiveKind::all_to_all:
      // One partner after the other; a pair is done when its last bytes have arrived.
      return link.start_s + (nodes - 1) * (bytes / nodes / link.pair_bytes_per_s * kRingLoss +
                                           link.latency_s + kProxyS);
    case CollectiveKind::central_server:
      return 2 * nccl_chain_s(bytes, nodes, link);
    case CollectiveKind::sharded_servers:
      return nccl_s(CollectiveKind::all_to_all, bytes, nodes, link) +
             nccl_s(CollectiveKind::all_gather, bytes, nodes, link);
  }
  return 0;
}

/// A ring phase of all but two segments.
double gloo_ring_s(double bytes, int nodes, double work_s, const SocketLink& link) {
  const double segment_bytes = std::min(kSegmentBytes, bytes / (2 * nodes));
  const double segments = std::ceil(bytes / segment_bytes / nodes) * nodes - 2;
  const double sent_s = segment_bytes / link.pair_bytes_per_s;
  const double segment_s =
      std::max(sent_s, (sent_s + 2 * (link.latency_s + kThreadS) + work_s) / 2);
  return segments * segment_s;
}

double gloo_broadcast_s(double bytes, int nodes, const SocketLink& link) {
  double total_s = 0;
  // The longest path: each node on it sends to one child fewer than its parent.
  for (int children = static_cast<int>(std::ceil(std::log2(nodes))); children > 0; --children) {
    const double bytes_per_s = std::min(link.pair_bytes_per_s, link.sent_bytes_per_s / children);
    total_s += bytes / bytes_per_s + link.start_s + link.latency_s;
  }
  return total_s;
}

double gloo_s(CollectiveKind kind, double bytes, int nodes, const SocketLink& link) {
  const double copies_s = 2 * bytes / kHostCopyBytesPerS;
  const double sum_s = kSegmentBytes / kSumBytesPerS;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return copies_s + link.start_s + gloo_ring_s(bytes, nodes, sum_s, link) +
             gloo_ring_s(bytes, nodes, 0, link);
    case CollectiveKind::all_gather:
      return copies_s + link.start_s + gloo_ring_s(bytes, nodes, 0, link);
    case CollectiveKind::broadcast:
      return copies_s + gloo_broadcast_s(bytes, nodes, link);
    case CollectiveKind::reduce: {
      // All send their parts to the root at once.
      const double gather_s = bytes * (nodes - 1) / nodes / link.received_bytes_per_s;
      return copies_s + link.start_s + gloo_ring_s(bytes, nodes, sum_s, link) + link.latency_s +
             gather_s;
    }
    case CollectiveKind::all_to_all:
      return copies_s + bytes * (nodes - 1) / nodes / link.received_bytes_per_s + link.start_s;
    case CollectiveKind::central_server:
      return gloo_s(CollectiveKind::reduce, bytes, nodes, link) +
             gloo_s(CollectiveKind::broadcast, bytes, nodes, link);
    case CollectiveKind::sharded_servers:
      return gloo_s(CollectiveKind::all_to_all, bytes, nodes, link) +
             gloo_s(CollectiveKind::all_gather, bytes, nodes, link);
  }
  return 0;
}

}  // namespace

double collective_s(CollectiveLibrary library,
                    CollectiveKind kind,
                    double bytes,
                    int nodes,
                    const SocketLink& link) {
  if (nodes < 2) return 0;
  return library == CollectiveLibrary::nccl ? nccl_s(kind, bytes, nodes, link)
                                            : gloo_s(kind, bytes, nodes, link);
}

}  // namespace epochcast
