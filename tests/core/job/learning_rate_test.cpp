// SPDX-License-Identifier: Apache-2.0
#include "core/job/learning_rate.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

// Expected values and results come from the same formulas in double: a few roundings of 1e-16 each.
constexpr double kRounding = 1e-14;

TEST_CASE("a constant learning rate does not change") {
  const LearningRateSchedule schedule = {.base = 0.05, .milestones = {1}, .epochs = 2};

  CHECK(schedule.at(0) == 0.05);
  CHECK(schedule.at(1000) == 0.05);
}

TEST_CASE("cosine annealing falls from the base along half a period of cosine to 0") {
  const LearningRateSchedule schedule = {
      .kind = LearningRateKind::cosine, .base = 0.2, .epochs = 300};

  CHECK(schedule.at(0) == 0.2);
  // cos 30, 60, 90, 120 degrees.
  CHECK(schedule.at(50) == Approx(0.1 * (1 + std::sqrt(3.0) / 2)).epsilon(kRounding));
  CHECK(schedule.at(100) == Approx(0.1 * 1.5).epsilon(kRounding));
  CHECK(schedule.at(150) == Approx(0.1).epsilon(kRounding));
  CHECK(schedule.at(200) == Approx(0.1 * 0.5).epsilon(kRounding));
  CHECK(schedule.at(300) == 0);
}

TEST_CASE("cosine annealing equals PyTorch's recursion") {
  // CosineAnnealingLR.get_lr with eta_min = 0: lr *= (1 + cos(pi t / T)) / (1 + cos(pi (t-1) / T)).
  const LearningRateSchedule schedule = {
      .kind = LearningRateKind::cosine, .base = 0.1, .epochs = 7};
  const double pi = std::acos(-1.0);
  double expected = 0.1;

  for (int epoch = 1; epoch < 7; ++epoch) {
    expected *= (1 + std::cos(pi * epoch / 7)) / (1 + std::cos(pi * (epoch - 1) / 7));
    CHECK(schedule.at(epoch) == Approx(expected).epsilon(kRounding));
  }
}

TEST_CASE("a milestone applies from its epoch on, in any order of milestones") {
  const LearningRateSchedule schedule = {
      .kind = LearningRateKind::multi_step, .base = 0.1, .milestones = {80, 60}};

  CHECK(schedule.at(0) == 0.1);
  CHECK(schedule.at(59) == 0.1);
  CHECK(schedule.at(60) == Approx(0.1 * 0.1).epsilon(kRounding));
  CHECK(schedule.at(79) == Approx(0.1 * 0.1).epsilon(kRounding));
  CHECK(schedule.at(80) == Approx(0.1 * 0.1 * 0.1).epsilon(kRounding));
  CHECK(schedule.at(99) == Approx(0.1 * 0.1 * 0.1).epsilon(kRounding));
}

TEST_CASE("milestones multiply by the schedule's own decay, and none leave the base") {
  const LearningRateSchedule halving = {
      .kind = LearningRateKind::multi_step, .base = 8, .milestones = {0, 2, 4}, .decay = 0.5};
  const LearningRateSchedule none = {.kind = LearningRateKind::multi_step, .base = 8};

  CHECK(halving.at(0) == 4);
  CHECK(halving.at(3) == 2);
  CHECK(halving.at(4) == 1);
  CHECK(none.at(100) == 8);
}

TEST_CASE("a warm-up rises with each step from its share of the base to all of it") {
  const LearningRateSchedule schedule = {.base = 0.8, .warmup = 2};

  // Four steps an epoch.
  CHECK(schedule.at(0, 0, 0.25) == Approx(0.1).epsilon(kRounding));
  CHECK(schedule.at(0, 0.75, 1) == Approx(0.4).epsilon(kRounding));
  CHECK(schedule.at(1, 0.5, 0.75) == Approx(0.7).epsilon(kRounding));
  CHECK(schedule.at(1, 0.75, 1) == 0.8);
  CHECK(schedule.at(7, 0, 0.25) == 0.8);
}

TEST_CASE("by step, cosine falls within epochs, from the end of the warm-up to the final share") {
  const LearningRateSchedule schedule = {.kind = LearningRateKind::cosine,
                                         .base = 1,
                                         .epochs = 3,
                                         .final_share = 0.1,
                                         .warmup = 1,
                                         .is_by_step = true};

  CHECK(schedule.at(0, 0.25, 0.5) == 0.5);
  CHECK(schedule.at(1, 0, 0.25) == 1);
  CHECK(schedule.at(2, 0, 0.25) == Approx(0.55).epsilon(kRounding));
  CHECK(schedule.at(2, 0.5, 0.75) ==
        Approx(0.1 + 0.9 * (1 - std::sqrt(0.5)) / 2).epsilon(kRounding));
}

TEST_CASE("a warm-up longer than the training never ends") {
  const LearningRateSchedule schedule = {
      .kind = LearningRateKind::cosine, .base = 1, .epochs = 2, .warmup = 4};

  CHECK(schedule.at(1, 0.5, 1) == 0.5);
}

}  // namespace
}  // namespace epochcast::tests
