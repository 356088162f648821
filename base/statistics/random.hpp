// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace epochcast {

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): tiny state, equal streams on every platform and
/// standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in 0 ... count - 1.
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(count));
  }

  /// Standard normal (Box-Muller).
  double normal() {
    const double u = 1 - uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

/// A seed for one of many independent streams.
[[nodiscard]] inline std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t stream) {
  Random random(seed ^ (stream * 0xd1342543de82ef95U + 0x2545f4914f6cdd1dU));
  return random.next();
}

}  // namespace epochcast
