// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "strategies/settings.hpp"
#include "tests/support/problems_of.hpp"

// One setting by itself, as `--name value`.

namespace epochcast::tests {

/// The setting's value in a job's text; empty if it is not shown.
[[nodiscard]] inline std::string shown(const JobConfig& config, const std::string& name) {
  for (const SettingText& setting : all_settings().texts(config)) {
    if (setting.name == name) return setting.value;
  }
  return {};
}

/// A job of defaults except this one.
[[nodiscard]] inline JobConfig with_setting(const std::string& name, const std::string& value) {
  JobConfig config;
  all_settings().set(config, name, value, "--" + name);
  return config;
}

/// The errors for the value.
[[nodiscard]] inline Texts problems_of_setting(const std::string& name, const std::string& value) {
  return problems_of([&] { (void)with_setting(name, value); });
}

}  // namespace epochcast::tests
