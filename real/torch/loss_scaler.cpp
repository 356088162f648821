// SPDX-License-Identifier: Apache-2.0
#include "real/torch/loss_scaler.hpp"

#include <cmath>

namespace epochcast::real {
namespace {

constexpr float kScaleGrowth = 2;
constexpr float kScaleBackoff = 0.5F;
constexpr std::int64_t kGrowthInterval = 2000;

}  // namespace

void LossScaler::update(bool are_finite) {
  if (!are_finite) {
    state_ = {.scale = kScaleBackoff * state_.scale, .finite_steps = 0};
    return;
  }
  if (++state_.finite_steps < kGrowthInterval) return;
  const float grown = kScaleGrowth * state_.scale;
  state_ = {.scale = std::isfinite(grown) ? grown : state_.scale, .finite_steps = 0};
}

}  // namespace epochcast::real
