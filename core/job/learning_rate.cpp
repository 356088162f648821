// SPDX-License-Identifier: Apache-2.0
#include "core/job/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace epochcast {
namespace {

double unwarmed(const LearningRateSchedule& schedule, std::int64_t epoch, double place) {
  switch (schedule.kind) {
    case LearningRateKind::constant:
      return schedule.base;
    case LearningRateKind::cosine: {
      const double length = static_cast<double>(schedule.epochs) - schedule.warmup;
      const double done = length > 0 ? std::clamp((place - schedule.warmup) / length, 0.0, 1.0) : 0;
      const double least = schedule.final_share * schedule.base;
      return least + (schedule.base - least) * (1 + std::cos(std::numbers::pi * done)) / 2;
    }
    case LearningRateKind::multi_step: {
      const auto passed = std::count_if(
          schedule.milestones.begin(), schedule.milestones.end(), [epoch](std::int64_t milestone) {
            return milestone <= epoch;
          });
      return schedule.base * std::pow(schedule.decay, static_cast<double>(passed));
    }
  }
  return schedule.base;
}

}  // namespace

double LearningRateSchedule::at(std::int64_t epoch, double before, double after) const {
  const auto begun = static_cast<double>(epoch);
  const double rate = unwarmed(*this, epoch, is_by_step ? begun + before : begun);
  return warmup > 0 ? rate * std::min(1.0, (begun + after) / warmup) : rate;
}

double LearningRateSchedule::without_warmup(std::int64_t epoch) const {
  return unwarmed(*this, epoch, static_cast<double>(epoch));
}

}  // namespace epochcast
