// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "core/random.hpp"

namespace epochcast {

/// Which part of a measured session a moment of a forecast resembles.
///
/// What slows batches down lasts, and slows down whoever computes on the same machine: samples are
/// not independent. So time is cut into blocks, each of which passes like a piece of the session
/// from a random place on, the session's end being followed by its beginning: the circular block
/// bootstrap (Politis and Romano, 1992). Workers with the same seed, those that were measured at
/// the same time, are at the same place at the same time. A block is as long as a quarter of the
/// session, rounded down to a power of two of seconds so that those of similar sessions begin
/// together: what lasts longer than that is left to the differences between sessions.
class Weather {
 public:
  explicit Weather(std::uint64_t seed) : seed_(seed) {}

  /// The place at a time that is not negative, in [0, 1) of a session that takes `session_s`.
  [[nodiscard]] double place(double at_s, double session_s) const {
    const double block_s = std::exp2(std::floor(std::log2(session_s / 4)));
    const double block = std::floor(at_s / block_s);
    const double since_s = at_s - block * block_s;
    const double begin = Random(mix_seed(seed_, static_cast<std::uint64_t>(block))).uniform();
    const double place = begin + since_s / session_s;
    return place - std::floor(place);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace epochcast
