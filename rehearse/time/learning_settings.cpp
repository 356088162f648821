// SPDX-License-Identifier: Apache-2.0
#include "rehearse/time/learning_settings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "strategies/settings.hpp"

namespace epochcast {
namespace {

/// They change numbers through what workers do, which is in the sequence (the order of sums, the
/// steps between exchanges), or through the precision of numbers.
constexpr std::array<std::string_view, 9> kInSequence = {"all-reduce",
                                                         "overlap",
                                                         "bucket",
                                                         "first-bucket",
                                                         "precision",
                                                         "local-steps",
                                                         "averaging-period",
                                                         "period-rule",
                                                         "qsr-alpha"};

}  // namespace

std::vector<SettingText> learning_settings(const JobConfig& config) {
  const std::vector<SettingText> rehearsed = all_settings().texts(config, in(Command::rehearse));
  std::vector<SettingText> learning = all_settings().texts(config, in(Command::train));
  std::erase_if(learning, [&](const SettingText& setting) {
    return std::ranges::count(rehearsed, setting) == 0 ||
           std::ranges::count(kInSequence, setting.name) > 0;
  });
  return learning;
}

DevicePrecision precision_of_numbers(const CostedJob& job) {
  const JobConfig& config = job.job().config;
  const Precision wanted = job.job().chosen_precision().value_or(Precision::float32);
  const bool has_parts = job.state_shares().optimizer < 1 || config.overlap == Overlap::dear;
  if (wanted == Precision::float16 && has_parts)
    return {.precision = Precision::float32,
            .note =
                "numbers were computed in float32: in float16, workers that update parts of "
                "the parameters would exchange which steps they skip"};
  return rehearsed_precision(wanted, config.machine.devices.front());
}

}  // namespace epochcast
