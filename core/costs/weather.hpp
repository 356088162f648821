// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/random.hpp"

namespace epochcast {

/// Which samples of a measured session the batches of a forecast resemble.
///
/// What slows batches down lasts, and slows down whoever computes on the same machine: samples are
/// not independent. So batches are cut into blocks, each of which goes through the session from a
/// random sample on, the last one being followed by the first: the circular block bootstrap
/// (Politis and Romano, 1992). Workers with the same seed, those that were measured at the same
/// time, are at the same place with the same batch. A block is a quarter of the session, rounded
/// down to a power of two so that those of similar sessions begin together: what lasts longer than
/// that is left to the differences between sessions.
class Weather {
 public:
  explicit Weather(std::uint64_t seed) : seed_(seed) {}

  /// The place of batch number 0, 1, ... in a session of so many samples (at least 1): from 0 to
  /// below 1, in steps of a sample.
  [[nodiscard]] double place(std::int64_t batch, std::size_t samples) const {
    const auto count = static_cast<double>(samples);
    const std::int64_t block_size = std::int64_t{1}
                                    << std::max(0, std::ilogb(std::max(1.0, count / 4)));
    const auto block = static_cast<std::uint64_t>(batch / block_size);
    const double begin = Random(mix_seed(seed_, block)).uniform();
    const double place = begin + static_cast<double>(batch % block_size) / count;
    return place - std::floor(place);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace epochcast
