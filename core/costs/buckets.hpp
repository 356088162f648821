// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/formats/cost_trace.hpp"
#include "core/formats/network.hpp"

namespace epochcast {

/// Gradients of consecutive layers that are exchanged together during backward.
struct Bucket {
  double bytes = 0;
  double backward_share =
      0;  ///< of the backward pass between the previous bucket's readiness and this one's
  /// Shapes of its tensors, in the order of their numbers: the layer that backward finishes last
  /// comes first. Empty: unknown.
  std::vector<std::vector<std::int64_t>> tensors = {};
};

/// Cuts gradients, in backward order, as PyTorch's DistributedDataParallel does (Li et al., VLDB
/// 2020, section 3.2.3): a bucket is full when it has reached its limit; `first_bytes` limits the
/// first one, `bytes` all others. Limits count bytes of parameters (float32): hooks that make
/// gradients smaller (network.bytes_per_gradient) run after the cut. Buckets state bytes that
/// travel.
///
/// The backward pass is spread over layers by `measured` shares when they cover every layer with
/// parameters, else by forward FLOPs. The shares of all buckets sum to 1 (work behind the last
/// gradient counts to the last bucket).
[[nodiscard]] std::vector<Bucket> cut_buckets(const Network& network,
                                              const std::vector<LayerShare>& measured,
                                              double first_bytes,
                                              double bytes);

/// Bytes that travel for a full bucket whose limit is `bucket_bytes`, or for all gradients if they
/// do not fill one.
[[nodiscard]] double exchanged_bucket_bytes(const Network& network, double bucket_bytes);

}  // namespace epochcast
