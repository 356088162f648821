// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Free of LibTorch headers.

namespace epochcast::real {

/// The scale of the loss in float16, without which small gradients become zero (Micikevicius et
/// al., ICLR 2018, section 3.2): PyTorch's GradScaler with its defaults. Scales are powers of two.
class LossScaler {
 public:
  struct State {
    float scale = 65536;
    std::int64_t finite_steps = 0;  ///< in a row, since the scale has changed

    bool operator==(const State&) const = default;
  };

  LossScaler() = default;
  explicit LossScaler(State state) : state_(state) {}

  /// The factor of the loss in backward. Its gradients are divided by it.
  [[nodiscard]] float scale() const { return state_.scale; }
  [[nodiscard]] const State& state() const { return state_; }

  /// Ends a step. Without finite gradients the optimizer must skip it, and the scale is halved;
  /// after 2000 finite steps in a row it is doubled, within the range of float32. Ranks that
  /// exchange gradients agree, since one infinite or undefined number makes the sum so.
  void update(bool are_finite);

  /// Whether gradients were not finite without any scale: further halving does not help.
  [[nodiscard]] bool is_exhausted() const { return state_.scale < 1; }

 private:
  State state_;
};

}  // namespace epochcast::real
