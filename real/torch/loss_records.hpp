// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/loss_sampling.hpp"
#include "real/data/sample_order.hpp"

namespace epochcast::real {

/// The records of one worker of biased local SGD: losses of samples, and samples drawn by them.
/// A loss travels as 12 bytes: the sample's index (int64), then the loss (float32).
class LossRecords {
 public:
  /// Of data with so many samples.
  explicit LossRecords(std::int64_t samples) : samples_(samples) {}

  /// Begins a share of so many samples, and clears earlier records.
  void begin(std::size_t share);
  /// A loss of this share.
  void add(const SampleLoss& loss);

  // LossSampling's methods of these names. Orders: the epoch's shuffle, and that of slow workers.
  [[nodiscard]] Payload recorded();
  [[nodiscard]] Payload gathered(std::int64_t samples);
  void draw(const BiasedDraw& draw,
            const std::vector<std::int64_t>& order,
            const std::vector<std::int64_t>& slow_order);
  [[nodiscard]] Payload drawn(const BiasedDraw& draw);
  /// The samples of drawn(), of any rank.
  [[nodiscard]] const std::vector<std::int64_t>& drawn_samples() const { return drawn_; }

  /// The state for checkpoints: recorded() and drawn(), the last loss of each sample (NaN: none
  /// known), or none at all.
  struct State {
    std::vector<std::uint8_t> recorded;
    std::vector<std::int64_t> drawn;
    std::vector<float> losses;
  };
  [[nodiscard]] State state() const;
  void restore(State state);

 private:
  std::int64_t samples_;
  std::vector<std::uint8_t> recorded_;  ///< losses, as they travel
  std::vector<std::uint8_t> gathered_;  ///< the same, of all workers, on the root
  std::vector<SampleLoss> losses_;      ///< last known of each sample, by sample, on the root
  std::vector<std::int64_t> drawn_;     ///< sample indices
};

}  // namespace epochcast::real
