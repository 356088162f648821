// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/curve_point.hpp"
#include "real/data/data_source.hpp"
#include "real/torch/training_learner.hpp"
#include "strategies/strategy.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

/// What a job has learned, epoch by epoch, in whichever world it runs.
///
/// What adds up over epochs is kept in the worker's Progress::memory, so that it survives an
/// interruption.
class LearningCurve {
 public:
  /// References must outlive the curve.
  LearningCurve(Worker& worker, TrainingLearner& learner, const DataSource& test)
      : worker_(worker), learner_(learner), test_(test) {}

  /// The point after an epoch (0, 1, ...): every trainer tests a part of the test samples with its
  /// own model, and all add up their scores. Collective over the job; call it from
  /// Worker::after_epoch.
  [[nodiscard]] CurvePoint after_epoch(std::int64_t epoch);

 private:
  Worker& worker_;
  TrainingLearner& learner_;
  const DataSource& test_;
  std::int64_t counted_epochs_ = 0;
  double counted_s_ = 0;      ///< of WorkerReport::training_s
  double counted_bytes_ = 0;  ///< sent by this worker
};

}  // namespace epochcast::real
