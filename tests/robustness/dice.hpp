// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>

#include "base/statistics/random.hpp"

namespace epochcast::tests {

/// The source of random cases; equal seeds give equal numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(mix_seed(seed, 0)) {}

  /// A whole number from `low` to `high`.
  template <std::integral Low, std::integral High>
  std::common_type_t<Low, High> between(Low low, High high) {
    using Number = std::common_type_t<Low, High>;
    const auto sides = static_cast<std::uint64_t>(Number{high} - Number{low}) + 1;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): low is not above high
    return low + static_cast<Number>(random_.next() % sides);
  }
  bool chance(double probability) { return random_.uniform() < probability; }
  /// Between `low` and `high`, every order of magnitude as likely.
  double magnitude(double low, double high) {
    return low * std::pow(high / low, random_.uniform());
  }
  template <typename Value>
  Value one_of(std::initializer_list<Value> values) {
    return *std::next(values.begin(), between(0, static_cast<int>(values.size()) - 1));
  }

 private:
  Random random_;
};

}  // namespace epochcast::tests
