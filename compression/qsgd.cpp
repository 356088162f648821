// SPDX-License-Identifier: Apache-2.0
// qsgd: multiples of norm/s for each block of 512 values, rounded at random (Alistarh et al.,
// NeurIPS 2017). Levels are packed with as many bits each; the paper's variable codes are not used.
#include <array>
#include <numeric>

#include "compression/code_gather.hpp"
#include "compression/kernels/stochastic_levels.hpp"
#include "core/job/setting_value.hpp"

namespace epochcast {
namespace {

constexpr int kMostLevels = 32'767;

constexpr StrategySettingOf kLevels(
    "qsgd-levels",
    "COUNT",
    "qsgd: levels s between zero and the norm of a block; a value takes the bits of 2s + 1 levels",
    "7",
    "127",
    value::SmallCount{1, kMostLevels});

class Qsgd : public CodeGather {
 public:
  Qsgd(std::uint64_t seed, int rank, int levels) : CodeGather(seed, rank), levels_(levels) {}

 protected:
  std::int64_t code_bytes(std::span<const std::int64_t> blocks) const override {
    return level_bytes(std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}), levels_);
  }
  void encode(std::span<const float> values,
              std::span<const std::int64_t> /*blocks*/,
              Random& random,
              std::span<std::byte> code) const override {
    encode_levels(values, levels_, random, code);
  }
  void add(std::span<const std::byte> code,
           std::span<const std::int64_t> /*blocks*/,
           std::span<float> values) const override {
    add_levels(code, levels_, values);
  }

 private:
  int levels_;
};

}  // namespace

CompressionMethod qsgd_compression() {
  static const std::array<const StrategySetting*, 1> own = {&kLevels};
  return {.name = "qsgd",
          .summary = "levels between zero and a block's norm, rounded at random (--qsgd-levels)",
          .source = "Alistarh et al., NeurIPS 2017",
          .collectives = "all-gather",
          .settings = own,
          .make = [](const JobConfig& config, int rank) -> std::unique_ptr<Compression> {
            return std::make_unique<Qsgd>(config.seed, rank, kLevels.of(config));
          }};
}

}  // namespace epochcast
