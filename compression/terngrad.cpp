// SPDX-License-Identifier: Apache-2.0
// terngrad: -1, 0 or 1 times the bucket's absolute maximum (Wen et al., NeurIPS 2017).
//
// Readings: workers send codes to each other, as there is no server; there is a scale for each
// bucket, not for each layer; gradients are not clipped, which would not be unbiased.
#include "compression/code_gather.hpp"
#include "compression/kernels/ternary.hpp"

namespace epochcast {
namespace {

class TernGrad : public CodeGather {
 public:
  using CodeGather::CodeGather;

 protected:
  std::int64_t code_bytes(std::int64_t count) const override { return ternary_bytes(count); }
  void encode(std::span<const float> values,
              Random& random,
              std::span<std::byte> code) const override {
    encode_ternary(values, random, code);
  }
  void add(std::span<const std::byte> code, std::span<float> values) const override {
    add_ternary(code, values);
  }
};

}  // namespace

CompressionMethod terngrad_compression() {
  return {.name = "terngrad",
          .summary = "-1, 0 or 1 times a scale, five values to a byte",
          .source = "Wen et al., NeurIPS 2017",
          .collectives = "all-gather",
          .make = [](const JobConfig& config, int rank) -> std::unique_ptr<Compression> {
            return std::make_unique<TernGrad>(config.seed, rank);
          }};
}

}  // namespace epochcast
