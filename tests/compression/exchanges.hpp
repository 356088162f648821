// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compression/compression.hpp"
#include "tests/support/fake_fabric.hpp"

namespace epochcast::tests {

/// Settings of a job with this compression: "topk compression-ratio=0.25".
[[nodiscard]] JobConfig compressed_job(const std::string& text);

using Vector = std::vector<float>;

/// Exchanges of one bucket among several workers.
struct Exchanges {
  JobConfig config;
  TensorShapes tensors = {};
  /// By exchange, worker and place; empty lists are exchanges without numbers.
  std::vector<std::vector<Vector>> buckets;
  std::vector<double> weights;  ///< by worker
  std::int64_t count = 0;       ///< of values in worlds without numbers
  bool is_interrupted = false;  ///< after each exchange: saved, and loaded by another object
};

/// The outcome, by exchange and worker.
struct Exchanged {
  std::vector<std::vector<Vector>> results;
  std::vector<std::vector<Vector>> kept;  ///< error feedback, of the whole bucket
  FakeRun fabric;
  std::vector<double> kernel_bytes;  ///< by worker, of all exchanges

  /// Bytes that all workers have sent, by the definitions of collectives: 2(P-1)/P of its size from
  /// each member for an all-reduce, P-1 times its part for an all-gather, P-1 messages for a
  /// broadcast.
  [[nodiscard]] double sent_bytes() const;
};

[[nodiscard]] Exchanged exchange(const Exchanges& exchanges);

/// Normal numbers, different for each exchange and worker.
[[nodiscard]] std::vector<std::vector<Vector>> normal_buckets(int exchanges,
                                                              int workers,
                                                              std::int64_t count);
/// 1/P for each.
[[nodiscard]] std::vector<double> equal_weights(int workers);
/// Σ_q weight_q · bucket_q of one exchange.
[[nodiscard]] std::vector<double> weighted_sum(const std::vector<Vector>& buckets,
                                               const std::vector<double>& weights);

}  // namespace epochcast::tests
