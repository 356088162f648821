// SPDX-License-Identifier: Apache-2.0
// fp16 and bf16: gradients travel, and are added, as numbers of 16 bits. PyTorch's
// fp16_compress_hook and bf16_compress_hook; here a gradient is multiplied by its weight before it
// is rounded, not after.
#include "compression/compression.hpp"
#include "compression/wire.hpp"

namespace epochcast {
namespace {

constexpr double kPassBytes = 4 + 2;  // of a value: float32 is read and 16 bits written, or back

template <typename T>
class HalfPrecision : public Compression {
 public:
  double wire_bytes(std::int64_t count, int members, const TensorShapes&) const override {
    return all_reduce_wire_bytes(sizeof(T) * static_cast<double>(count), members);
  }

 protected:
  Finish start_compressed(const BucketExchange& exchange) override {
    const WireBuffer code(static_cast<std::int64_t>(sizeof(T)) * exchange.count(),
                          exchange.has_numbers());
    const double moved_bytes = kPassBytes * static_cast<double>(exchange.count());
    if (exchange.has_numbers()) {
      const auto weight = static_cast<float>(exchange.weight);
      const std::span<T> to = code.as<T>();
      const std::span<float> from = values<float>(exchange.bucket);
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = T(weight * from[i]);
    }
    exchange.observer.kernel("compress", moved_bytes);
    const Request request =
        exchange.fabric.start_all_reduce(code.payload(element_of<T>()), 1, exchange.among);
    return [exchange, code, request, moved_bytes] {
      exchange.fabric.wait(request);
      if (exchange.has_numbers()) {
        const std::span<float> to = values<float>(exchange.bucket);
        const std::span<T> from = code.as<T>();
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(from[i]);
      }
      exchange.observer.kernel("decompress", moved_bytes);
    };
  }
};

template <typename T>
std::unique_ptr<Compression> make_half(const JobConfig&, int) {
  return std::make_unique<HalfPrecision<T>>();
}

}  // namespace

CompressionMethod fp16_compression() {
  return {.name = "fp16",
          .summary = "gradients as float16: PyTorch's fp16_compress_hook",
          .source = "IEEE 754-2019 binary16",
          .collectives = "all-reduce",
          .make = make_half<Float16>};
}

CompressionMethod bf16_compression() {
  return {.name = "bf16",
          .summary = "gradients as bfloat16: PyTorch's bf16_compress_hook",
          .source = "Kalamkar et al., arXiv 1905.12322",
          .collectives = "all-reduce",
          .make = make_half<BFloat16>};
}

}  // namespace epochcast
