// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"

namespace epochcast::fuzz {

/// Stops the fuzzer: an input has broken a promise.
inline void require(bool promise) {
  if (!promise) std::abort();
}

/// Every problem is one line of valid UTF-8 (what nlohmann/json accepts as a text).
inline void check_problems(const UserError& error) {
  require(!error.problems().empty());
  for (const std::string& problem : error.problems()) {
    require(problem.find('\n') == std::string::npos);
    static_cast<void>(nlohmann::json(problem).dump());
  }
}

/// Parses the bytes and passes the document to `read`; bad input may only end in a UserError.
template <typename Read>
int run(const std::uint8_t* data, std::size_t size, Read read) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    read(parse_json(text, "input"));
  } catch (const UserError& error) {
    check_problems(error);
  }
  return 0;
}

}  // namespace epochcast::fuzz
