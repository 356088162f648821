// SPDX-License-Identifier: Apache-2.0
#include "core/job/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace epochcast {

double LearningRateSchedule::at(std::int64_t epoch) const {
  switch (kind) {
    case LearningRateKind::constant:
      return base;
    case LearningRateKind::cosine: {
      const double done = static_cast<double>(epoch) / static_cast<double>(epochs);
      return base * (1 + std::cos(std::numbers::pi * done)) / 2;
    }
    case LearningRateKind::multi_step: {
      const auto passed =
          std::count_if(milestones.begin(), milestones.end(), [epoch](std::int64_t milestone) {
            return milestone <= epoch;
          });
      return base * std::pow(decay, static_cast<double>(passed));
    }
  }
  return base;
}

}  // namespace epochcast
