// SPDX-License-Identifier: Apache-2.0
#include "core/json/json_number.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

namespace epochcast {

double read_number(const JsonInput& input, double low, double high) {
  using Limits = std::numeric_limits<double>;
  if (input.value().is_number()) {
    const auto number = input.value().get<double>();
    if (number >= low && number <= high) return number;
  }
  std::ostringstream expected;
  expected << "a number";
  if (high < Limits::max()) {
    expected << " from " << low << " to " << high;
  } else if (low > Limits::lowest()) {
    expected << " of at least " << low;
  }
  input.fail(expected.str());
  return std::max(low, std::min(high, 0.0));
}

double rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.7g", value);
  return std::strtod(text.data(), nullptr);
}

}  // namespace epochcast
