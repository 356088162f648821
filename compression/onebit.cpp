// SPDX-License-Identifier: Apache-2.0
// onebit: signs with a scale for each tensor, in two phases, each with error feedback (1-bit Adam,
// Tang et al., arXiv 2102.02888, algorithm 1 and section 4). Before --onebit-freeze-step all
// numbers travel.
//
// Readings: gradients are compressed, whatever the optimizer; 1-bit Adam compresses its momentum
// and freezes its variance. Numbers of a tensor in the parts of several workers have a scale in
// each.
#include <algorithm>
#include <array>

#include "compression/kernels/signs.hpp"
#include "compression/sparse_gather.hpp"
#include "compression/tensor_blocks.hpp"
#include "compression/two_phase.hpp"
#include "core/job/setting_value.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kFreezeStep(
    "onebit-freeze-step",
    "STEP",
    "onebit: steps of warm-up that send all numbers (DeepSpeed's freeze_step; its examples: 400)",
    "400",
    "0",
    value::Count{0});

class OneBit : public TwoPhase {
 public:
  explicit OneBit(std::int64_t freeze_step) : freeze_step_(freeze_step) {}

  std::int64_t first_step() const override { return freeze_step_; }

 protected:
  std::int64_t code_bytes(const Blocks& part) const override {
    std::int64_t bytes = 0;
    for (const std::int64_t count : part) bytes += sign_bytes(count);
    return bytes;
  }
  // Error feedback (12), read for the norm (4), error written (8), an eighth of a byte.
  double encode_bytes() const override { return kFeedbackBytes + 4 + 8 + 0.125; }
  double add_bytes() const override { return 8 + 0.125; }
  std::span<float> contribution(const BucketExchange& exchange) override {
    return fed_back(exchange, residual(exchange));
  }
  void encode(std::span<float> part, const Blocks& blocks, std::span<std::byte> code) override {
    for_each_block(blocks, sign_bytes, part, code, [](auto block, auto bytes) {
      encode_signs(block, sign_scale(block), bytes);
    });
  }
  void encode_sum(const BucketExchange& exchange,
                  std::span<float> sum,
                  const Blocks& blocks,
                  std::span<std::byte> code) override {
    const std::span<float> error =
        memory().numbers<float>(exchange.index, "error of the sum", sum.size());
    for (std::size_t i = 0; i < sum.size(); ++i) error[i] += sum[i];
    encode(error, blocks, code);
  }
  void add(std::span<const std::byte> code,
           const Blocks& blocks,
           std::span<float> values) const override {
    for_each_block(
        blocks, sign_bytes, values, code, [](auto block, auto bytes) { add_signs(bytes, block); });
  }

 private:
  std::int64_t freeze_step_;
};

}  // namespace

CompressionMethod onebit_compression() {
  static const std::array<const StrategySetting*, 1> own = {&kFreezeStep};
  return {.name = "onebit",
          .summary = "signs with a scale for each tensor, after a warm-up (--onebit-freeze-step)",
          .source = "1-bit Adam, arXiv 2102.02888",
          .has_error_feedback = true,
          .collectives = "messages, all-gather",
          .settings = own,
          .warm_up = &kFreezeStep,
          .make = [](const JobConfig& config, int) -> std::unique_ptr<Compression> {
            return std::make_unique<OneBit>(kFreezeStep.of(config));
          }};
}

}  // namespace epochcast
