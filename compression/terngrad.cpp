// SPDX-License-Identifier: Apache-2.0
// terngrad: -1, 0 or 1 times a tensor's absolute maximum (Wen et al., NeurIPS 2017, section 3.2:
// "layer-wise ternarizing").
//
// Readings: workers send codes to each other, as there is no server; gradients are not clipped,
// which would not be unbiased.
#include "compression/code_gather.hpp"
#include "compression/kernels/ternary.hpp"
#include "compression/tensor_blocks.hpp"

namespace epochcast {
namespace {

class TernGrad : public CodeGather {
 public:
  using CodeGather::CodeGather;

 protected:
  std::int64_t code_bytes(std::span<const std::int64_t> blocks) const override {
    std::int64_t bytes = 0;
    for (const std::int64_t count : blocks) bytes += ternary_bytes(count);
    return bytes;
  }
  void encode(std::span<const float> values,
              std::span<const std::int64_t> blocks,
              Random& random,
              std::span<std::byte> code) const override {
    for_each_block(blocks, ternary_bytes, values, code, [&](auto block, auto bytes) {
      encode_ternary(block, random, bytes);
    });
  }
  void add(std::span<const std::byte> code,
           std::span<const std::int64_t> blocks,
           std::span<float> values) const override {
    for_each_block(blocks, ternary_bytes, values, code, [](auto block, auto bytes) {
      add_ternary(bytes, block);
    });
  }
};

}  // namespace

CompressionMethod terngrad_compression() {
  return {.name = "terngrad",
          .summary = "-1, 0 or 1 times a tensor's scale, five values to a byte",
          .source = "Wen et al., NeurIPS 2017",
          .collectives = "all-gather",
          .make = [](const JobConfig& config, int rank) -> std::unique_ptr<Compression> {
            return std::make_unique<TernGrad>(config.seed, rank);
          }};
}

}  // namespace epochcast
