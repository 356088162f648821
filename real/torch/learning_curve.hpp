// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/formats/curve_point.hpp"
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

  /// The point after an epoch (0, 1, ...). What is tested is one model: parameters are equal by
  /// then, and BatchNorm's statistics are averaged, by batches. Where workers have models of their
  /// own (WorkerReport::has_own_model), each keeps its statistics. Every trainer tests a part of
  /// the test samples with its model, and all add up their scores. Collective over the job; call it
  /// from Worker::after_epoch.
  [[nodiscard]] CurvePoint after_epoch(std::int64_t epoch);
  /// The same after an epoch whose point is known, and which was run again for its time alone:
  /// nothing is tested. Throws a RunError when it took another time, or sent other bytes.
  void after_known_epoch(const CurvePoint& known);

 private:
  /// What the fabric's meters say since the last call.
  struct Passed {
    double seconds = 0;
    double bytes_sent = 0;  ///< by this worker
    bool is_whole = false;  ///< the epoch was run from start to end
  };

  /// Samples of the test set, without `end`.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  [[nodiscard]] Passed passed();
  /// Where all have one model, replaces everybody's BatchNorm statistics by their average, weighted
  /// by batches: a worker without samples has seen nothing, and one with many has seen the most.
  /// Collective.
  void average_statistics();
  /// The part of the test set that this worker tests: those divide it who have trained in the last
  /// epoch. Collective.
  [[nodiscard]] Part tested_part() const;
  /// Adds up the workers' numbers. Collective; takes as long whatever they are.
  [[nodiscard]] std::vector<double> sums_of(const Passed& passed,
                                            const Score& trained,
                                            const Score& tested) const;
  [[nodiscard]] std::vector<double> totals() const;

  Worker& worker_;
  TrainingLearner& learner_;
  const DataSource& test_;
  std::int64_t counted_epochs_ = 0;
  double counted_s_ = 0;      ///< of WorkerReport::training_s
  double counted_bytes_ = 0;  ///< sent by this worker
};

}  // namespace epochcast::real
