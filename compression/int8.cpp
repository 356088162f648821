// SPDX-License-Identifier: Apache-2.0
// int8: multiples of a scale for each block of 256 values, added as float32 by the member that owns
// a part, and coded again (as torchft's quantized all-reduce does).
#include <numeric>

#include "compression/kernels/int8_blocks.hpp"
#include "compression/two_phase.hpp"

namespace epochcast {
namespace {

class Int8 : public TwoPhase {
 protected:
  std::int64_t code_bytes(const Blocks& part) const override {
    return int8_bytes(std::accumulate(part.begin(), part.end(), std::int64_t{0}));
  }
  // Weighted (8), read for the maximum and for the code (8), written (1).
  double encode_bytes() const override { return 8 + 8 + 1; }
  double add_bytes() const override { return 1 + 8; }
  std::span<float> contribution(const BucketExchange& exchange) override {
    scale(exchange.bucket, exchange.weight);
    return values<float>(exchange.bucket);
  }
  void encode(std::span<float> part, const Blocks&, std::span<std::byte> code) override {
    encode_int8(part, code);
  }
  void encode_sum(const BucketExchange&,
                  std::span<float> sum,
                  const Blocks&,
                  std::span<std::byte> code) override {
    encode_int8(sum, code);
  }
  void add(std::span<const std::byte> code, const Blocks&, std::span<float> values) const override {
    add_int8(code, values);
  }
};

}  // namespace

CompressionMethod int8_compression() {
  return {.name = "int8",
          .summary = "a byte for each value, a scale for each 256",
          .source = "absolute maximum by block; torchft's should_quantize",
          .collectives = "messages, all-gather",
          .make = [](const JobConfig&, int) -> std::unique_ptr<Compression> {
            return std::make_unique<Int8>();
          }};
}

}  // namespace epochcast
