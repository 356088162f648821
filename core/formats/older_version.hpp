// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include "base/json/json_input.hpp"

namespace epochcast {

/// The first of `keys` that the object has, in quotes; empty if it has none of them.
[[nodiscard]] inline std::string older_key(const JsonInput& input,
                                           std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (input.has(key)) return "\"" + std::string(key) + "\"";
  }
  return {};
}

/// `has PART of an older version of epochcast; REMEDY`, for a file that no longer has a meaning.
[[nodiscard]] inline std::string older_version(const std::string& part, const std::string& remedy) {
  return "has " + part + " of an older version of epochcast; " + remedy;
}

}  // namespace epochcast
