// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_task.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Epochs of 10 s; accuracies of 10 %, 20 %, ...
Curve curve_of(int epochs) {
  Curve curve;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    CurvePoint point;
    point.epoch = epoch;
    point.training_s = 10.0 * epoch;
    point.test_accuracy = 0.1 * epoch;
    curve.push_back(point);
  }
  return curve;
}

RehearsalTask task_of(int epochs) {
  RehearsalTask task;
  task.config.epochs = epochs;
  return task;
}

/// The number of a curve's epochs that answer the task; 0: it is too short.
std::size_t enough(const RehearsalTask& task, int epochs) {
  Curve curve = curve_of(epochs);
  return is_enough(task, curve) ? curve.size() : 0;
}

TEST_CASE("a task ends with the epoch that meets it, and later epochs are ignored") {
  RehearsalTask task = task_of(4);
  CHECK(enough(task, 3) == 0);
  CHECK(enough(task, 4) == 4);
  CHECK(enough(task, 6) == 4);

  task.stop_after_s = 15;  // in the second epoch
  CHECK(enough(task, 1) == 0);
  CHECK(enough(task, 6) == 2);

  task.stop_at = LearningTarget{.metric = Metric::accuracy, .value = 0.1};
  CHECK(enough(task, 6) == 1);
}

TEST_CASE("the completed share of a task is that of the condition met first") {
  RehearsalTask task = task_of(4);
  const CurvePoint second = curve_of(2).back();
  CHECK(share_of(task, second) == Approx(0.5));

  task.stop_after_s = 25;
  CHECK(share_of(task, second) == Approx(20.0 / 25));
  task.stop_after_s = 15;
  CHECK(share_of(task, second) == 1);
}

}  // namespace
}  // namespace epochcast::tests
