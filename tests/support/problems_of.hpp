// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace epochcast::tests {

/// The problems of the UserError that `call` throws; none when it throws nothing.
template <typename Call>
std::vector<std::string> problems_of(Call call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.problems();
  }
  return {};
}

/// `text` with the only occurrence of `old` replaced: a valid file with one error.
inline std::string with(std::string text, const std::string& old, const std::string& replacement) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos || text.find(old, at + 1) != std::string::npos) {
    throw std::logic_error("\"" + old + "\" does not stand exactly once in the test's text");
  }
  return text.replace(at, old.size(), replacement);
}

using Texts = std::vector<std::string>;

}  // namespace epochcast::tests
