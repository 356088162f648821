// SPDX-License-Identifier: Apache-2.0
#include "strategies/outer_step.hpp"

#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"

namespace epochcast {
namespace {

constexpr double kBelowOne = 1 - 0x1p-53;  // the largest
constexpr double kLargestRate = 1e6;

constexpr StrategySettingOf kOuterRate("outer-rate",
                                       "NUMBER",
                                       "diloco, time-synced: learning rate of the outer SGD",
                                       "0.7",
                                       "0.5",
                                       value::Number{0, kLargestRate, "a number from 0 to 1e6"});
constexpr StrategySettingOf kOuterMomentum(
    "outer-momentum",
    "NUMBER",
    "diloco, time-synced: Nesterov momentum of the outer SGD",
    "0.9",
    "0.5",
    value::Number{0, kBelowOne, "a number from 0 to below 1"});

/// SGD with Nesterov momentum, as PyTorch has it: v' = momentum v + d, p = p_t - rate (d +
/// momentum v'), with the outer gradient d = p_t - mean. Written with the average, so that rate 1
/// without momentum leaves it, bit by bit: p = mean + (1 - rate) d - rate momentum v'.
OuterStep nesterov(double momentum, double rate) {
  return [momentum, rate](Worker& worker,
                          const ParameterRange& range,
                          std::span<float> averaged,
                          std::span<const float> common,
                          double bytes) {
    const std::size_t count = trained_count(worker, range, averaged);
    const std::span<float> velocity = worker.kept.numbers<float>(range.index, "momentum", count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto mean = static_cast<double>(averaged[i]);
      const double gradient = static_cast<double>(common[i]) - mean;
      const double moving = momentum * static_cast<double>(velocity[i]) + gradient;
      velocity[i] = static_cast<float>(moving);
      averaged[i] = static_cast<float>(mean + (1 - rate) * gradient - rate * momentum * moving);
    }
    worker.learner.kernel("outer step", kOuterStepPasses * bytes);
  };
}

}  // namespace

const StrategySetting& outer_rate_setting() { return kOuterRate; }

const StrategySetting& outer_momentum_setting() { return kOuterMomentum; }

OuterStep nesterov_step(const JobConfig& config) {
  return nesterov(kOuterMomentum.of(config), kOuterRate.of(config));
}

}  // namespace epochcast
