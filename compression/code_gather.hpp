// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/statistics/random.hpp"
#include "compression/compression.hpp"

namespace epochcast {

/// Methods that round at random: every member sends the code of its bucket to all others, which add
/// up what they get: terngrad, qsgd. Draws depend on the seed, the rank, the bucket and the number
/// of its exchange.
class CodeGather : public Compression {
 public:
  CodeGather(std::uint64_t seed, int rank)
      : seed_(mix_seed(seed, static_cast<std::uint64_t>(rank))) {}
  double wire_bytes(std::int64_t count, int members, const TensorShapes&) const override;

 protected:
  Finish start_compressed(const BucketExchange& exchange) override;

  /// `blocks`: counts of the tensors' numbers, which together are the bucket.
  [[nodiscard]] virtual std::int64_t code_bytes(std::span<const std::int64_t> blocks) const = 0;
  virtual void encode(std::span<const float> values,
                      std::span<const std::int64_t> blocks,
                      Random& random,
                      std::span<std::byte> code) const = 0;
  /// Adds coded values.
  virtual void add(std::span<const std::byte> code,
                   std::span<const std::int64_t> blocks,
                   std::span<float> values) const = 0;

 private:
  [[nodiscard]] Random draws(const BucketExchange& exchange);

  std::uint64_t seed_;
};

}  // namespace epochcast
