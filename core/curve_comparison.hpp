// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/spread.hpp"
#include "core/formats/curve_point.hpp"
#include "core/formats/learning_metric.hpp"
#include "core/price.hpp"

namespace epochcast {

/// Running costs of a cluster, as far as they are known.
struct RunningCosts {
  std::optional<Price> price = {};     ///< of all nodes
  std::optional<double> power_w = {};  ///< of all nodes, mean over an epoch
};

/// One job's learning, with every seed that it was run with.
struct SeededCurves {
  std::string name;
  std::vector<Curve> curves;  ///< at least one, none empty
  RunningCosts running = {};
};

/// The learning results of a job over its seeds.
struct CurveSummary {
  std::string name;
  std::size_t seeds = 1;
  double epochs = 0;      ///< this and the next four: means
  double training_s = 0;  ///< without start-up and tests
  double samples = 0;
  double bytes_sent = 0;
  double best_epoch = 0;              ///< of the best value; the first of equal ones
  Spread test_loss;                   ///< after the last epoch
  Metric metric = Metric::accuracy;   ///< of the next four: main_metric()
  Spread test;                        ///< after the last epoch
  Spread best;                        ///< of any epoch
  Spread at_samples;                  ///< after as many samples as every job trained on
  Spread at_seconds;                  ///< after as many seconds as every job trained
  std::size_t reached = 0;            ///< seeds that reached the target
  std::optional<Spread> to_target_s;  ///< of those that did; absent when none did
  RunningCosts running;

  /// Seconds that a sample takes.
  [[nodiscard]] double sample_s() const { return training_s / samples; }
  /// Cost, and energy in joules, of training to the target, without start-up and tests; absent if
  /// it, or the time to the target, is unknown.
  [[nodiscard]] std::optional<Spread> to_target_cost() const;
  [[nodiscard]] std::optional<Spread> to_target_j() const;
};

/// Jobs side by side, compared after the same number of samples and after the same number of
/// seconds: their epochs may differ in both.
struct CurveComparison {
  double samples = 0;  ///< the most that every curve has
  double seconds = 0;
  std::vector<CurveSummary> jobs;
};

/// At least one job.
[[nodiscard]] CurveComparison compare(const std::vector<SeededCurves>& jobs,
                                      const std::optional<LearningTarget>& target);

[[nodiscard]] CurveSummary summary_of(const SeededCurves& job);

[[nodiscard]] nlohmann::ordered_json to_json(const CurveComparison& comparison);

}  // namespace epochcast
