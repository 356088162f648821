// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "core/job/setting.hpp"

namespace epochcast {

/// The part of a job's configuration that is a `Part`.
template <typename Part, typename Config>
auto& part_of(Config& config) {
  if constexpr (std::is_same_v<Part, LearningConfig>) {
    return config.learning;
  } else if constexpr (std::is_same_v<Part, OptimizerSettings>) {
    return config.learning.optimizer;
  } else if constexpr (std::is_same_v<Part, LearningRateSchedule>) {
    return config.learning.rate;
  } else if constexpr (std::is_same_v<Part, MachineConfig>) {
    return config.machine;
  } else {
    return config;
  }
}

/// A field's value as text; empty for an optional that is absent, unless its kind has a text for
/// that.
template <typename Value, typename Kind>
std::string shown(const Value& value, const Kind& kind) {
  if constexpr (requires { kind.show(value); }) {
    return kind.show(value);
  } else {
    return value ? kind.show(*value) : std::string();
  }
}

/// The setting of a field of JobConfig or of one of its parts. `kind`: as in
/// core/job/setting_value.hpp. Hyperparameters of optimizers are shown with their defaults.
template <typename Part, typename Field, typename Kind>
Setting row(std::string_view name,
            Commands commands,
            std::string_view value_name,
            Field Part::*field,
            Kind kind,
            std::string_view help) {
  return {.name = name,
          .commands = commands,
          .value_name = value_name,
          .help = help,
          .set = [field, kind](
                     JobConfig& config,
                     const std::string& text) { part_of<Part>(config).*field = kind.read(text); },
          .show =
              [field, kind](const JobConfig& config) {
                if constexpr (std::is_same_v<Part, OptimizerSettings>) {
                  return shown(with_defaults(config.learning.optimizer).*field, kind);
                } else {
                  return shown(part_of<Part>(config).*field, kind);
                }
              }};
}

}  // namespace epochcast
