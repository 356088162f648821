// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/statistics/random.hpp"

namespace epochcast {

/// Draws which samples of a measured session the batches of a forecast take: the circular block
/// bootstrap (Politis and Romano, 1992).
///
/// Successive samples are correlated, since load on a machine lasts longer than a batch. Batches
/// are therefore drawn in blocks of successive samples. A block begins at a random sample; the
/// first sample follows the last. A block has a quarter of the session's samples, rounded down to a
/// power of two, so sessions of similar length start their blocks at the same batches. Workers with
/// the same seed, which were measured at the same time, are at the same place with the same batch.
class BlockBootstrap {
 public:
  explicit BlockBootstrap(std::uint64_t seed) : seed_(seed) {}

  /// The place of batch number 0, 1, ... in a session of `samples` samples (at least 1), as a share
  /// of the session: from 0 to below 1, in steps of a sample.
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
