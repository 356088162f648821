// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/job_config.hpp"

namespace epochcast {

/// The commands in which a setting counts.
enum class Command { simulate, emulate, train, rehearse };
/// Its name: "simulate".
[[nodiscard]] constexpr std::string_view to_string(Command command) {
  switch (command) {
    case Command::simulate:
      return "simulate";
    case Command::emulate:
      return "emulate";
    case Command::train:
      return "train";
    case Command::rehearse:
      return "rehearse";
  }
  return {};
}
using Commands = unsigned;
[[nodiscard]] constexpr Commands in(Command command) {
  return 1U << static_cast<unsigned>(command);
}
constexpr Commands kForecast = in(Command::simulate);
constexpr Commands kWithCosts =
    in(Command::simulate) | in(Command::emulate) | in(Command::rehearse);
constexpr Commands kTrain = in(Command::train);
constexpr Commands kLearning = in(Command::train) | in(Command::rehearse);
constexpr Commands kSimulated = in(Command::simulate) | in(Command::rehearse);
constexpr Commands kEverywhere = kWithCosts | kTrain;

/// One setting: a flag `--name`, a key of an experiment file, a `--set name=value`, a sweep axis.
struct Setting {
  std::string_view name;
  Commands commands = kEverywhere;  ///< an experiment file may hold settings of any command
  std::string_view value_name;      ///< for the help text, with the unit
  std::string_view help;
  /// Parses `text` into the config. Throws a UserError that begins with the text.
  std::function<void(JobConfig& config, const std::string& text)> set;
  /// The current value as text that set() reads back; empty when not set.
  std::function<std::string(const JobConfig& config)> show;
  /// In commands without numbers: whether it counts in the job, and the setting with which it does,
  /// for messages. Empty: always.
  std::function<bool(const JobConfig& config)> counts_if = {};
  std::string_view counts_with = {};
};

/// A setting's name and its value as text.
struct SettingText {
  std::string name;
  std::string value;

  bool operator==(const SettingText&) const = default;
};

/// Settings of every job: its cluster, model, data and exchange.
[[nodiscard]] std::vector<Setting> job_settings();
/// Settings of costs and of the simulation.
[[nodiscard]] std::vector<Setting> cost_settings();
/// Settings of learning and of machines, for real runs.
[[nodiscard]] std::vector<Setting> run_settings();

}  // namespace epochcast
