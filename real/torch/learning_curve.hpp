// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/formats/curve_point.hpp"
#include "real/data/data_source.hpp"
#include "real/torch/training_learner.hpp"
#include "strategies/strategy.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

/// The learning curve of a job, simulated or real, epoch by epoch.
///
/// Sums over epochs are kept in the worker's Progress::memory, which checkpoints include.
class LearningCurve {
 public:
  /// References must outlive the curve.
  LearningCurve(Worker& worker, TrainingLearner& learner, const DataSource& test)
      : worker_(worker), learner_(learner), test_(test) {}

  /// The point after an epoch (0, 1, ...). One model is tested: parameters are equal, and
  /// BatchNorm's statistics are averaged, weighted by batches. If workers have different models
  /// (WorkerReport::has_own_model), each keeps its statistics. Every trainer tests a part of the
  /// test samples with its model, and all add up their scores. Collective over the job; call it
  /// from Worker::after_epoch.
  [[nodiscard]] CurvePoint after_epoch(std::int64_t epoch);
  /// The same after an epoch with a known point, which was repeated for its time only: nothing is
  /// tested. Throws a RunError if its time or bytes differ.
  void after_known_epoch(const CurvePoint& known);

 private:
  /// Differences of the fabric's meters since the last call.
  struct Passed {
    double seconds = 0;
    double bytes_sent = 0;  ///< by this worker
    double dropped = 0;     ///< of its samples, in gradients that no update took
    bool is_whole = false;  ///< the epoch was run from start to end
  };

  /// Samples of the test set, without `end`.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  [[nodiscard]] Passed passed();
  /// If all have one model, replaces the BatchNorm statistics of all workers by their average,
  /// weighted by batches. Collective.
  void average_statistics();
  /// The part of the test set that this worker tests: it is divided among workers that trained in
  /// the last epoch. Collective.
  [[nodiscard]] Part tested_part() const;
  /// Adds up the workers' numbers. Collective; the time does not depend on the values.
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
  std::int64_t counted_dropped_ = 0;
};

}  // namespace epochcast::real
