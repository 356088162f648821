// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_number.hpp"

#include <fmt/core.h>

#include <algorithm>
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

double rounded(double value) { return std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr); }

}  // namespace epochcast
