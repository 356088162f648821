// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "strategies/settings.hpp"

namespace epochcast::tests {

/// A setting by its name, in a user's form.
inline void set(JobConfig& config, std::string_view name, const std::string& value) {
  all_settings().set(config, name, value, std::string(name));
}
void set(JobConfig& config, std::string_view name, std::integral auto value) {
  set(config, name, std::to_string(value));
}

}  // namespace epochcast::tests
