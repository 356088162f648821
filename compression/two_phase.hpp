// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/compression.hpp"

namespace epochcast {

/// Methods whose codes cannot be added. The bucket is cut into P parts, as equal as possible. Every
/// member sends its code of part q to member q, which adds up what it gets, and sends a code of the
/// sum to all: int8, onebit.
class TwoPhase : public Compression {
 public:
  double wire_bytes(std::int64_t count, int members, const TensorShapes&) const override;

 protected:
  Finish start_compressed(const BucketExchange& exchange) override;

  /// Counts of numbers of a part that belong to one tensor each.
  using Blocks = std::vector<std::int64_t>;

  /// Bytes of the code of a part.
  [[nodiscard]] virtual std::int64_t code_bytes(const Blocks& part) const = 0;
  /// Bytes moved to code a value, to code one of a sum, and to add a coded one.
  [[nodiscard]] virtual double encode_bytes() const = 0;
  [[nodiscard]] virtual double add_bytes() const = 0;
  /// The values that this worker contributes. They may be changed until the exchange is over.
  virtual std::span<float> contribution(const BucketExchange& exchange) = 0;
  /// Codes a part of the contribution, which may be changed.
  virtual void encode(std::span<float> part, const Blocks& blocks, std::span<std::byte> code) = 0;
  /// Codes the sum of this worker's part, which may be changed.
  virtual void encode_sum(const BucketExchange& exchange,
                          std::span<float> sum,
                          const Blocks& blocks,
                          std::span<std::byte> code) = 0;
  /// Adds coded values of a part.
  virtual void add(std::span<const std::byte> code,
                   const Blocks& blocks,
                   std::span<float> values) const = 0;

 private:
  struct Parts;
  void finish(const BucketExchange& exchange, const Parts& parts);
};

}  // namespace epochcast
