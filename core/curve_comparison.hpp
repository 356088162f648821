// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "core/spread.hpp"

namespace epochcast {

/// One job's learning, with every seed that it was run with.
struct SeededCurves {
  std::string name;
  std::vector<Curve> curves;  ///< at least one, none empty
};

/// What a job has learned, over its seeds. Accuracies are shares of the test set; absent where
/// nothing is classified.
struct CurveSummary {
  std::string name;
  std::size_t seeds = 1;
  double epochs = 0;      ///< this and the next four: means
  double training_s = 0;  ///< without start-up and tests
  double samples = 0;
  double bytes_sent = 0;
  double best_epoch = 0;  ///< of the best accuracy, the first where there are several
  Spread test_loss;       ///< after the last epoch, as the next
  std::optional<Spread> test_accuracy;
  std::optional<Spread> best_accuracy;  ///< of any epoch
  std::optional<Spread> at_samples;     ///< accuracy after as many samples as every job trained on
  std::optional<Spread> at_seconds;     ///< accuracy after as many seconds as every job trained
  std::size_t reached = 0;              ///< seeds that reached the target
  std::optional<Spread> to_target_s;    ///< of those that did; absent when none did

  /// Seconds that a sample takes.
  [[nodiscard]] double sample_s() const { return training_s / samples; }
};

/// Jobs side by side. Their epochs need not have the same number of samples, nor take as long: so
/// accuracies are compared after equally many samples, and after equally many seconds.
struct CurveComparison {
  double samples = 0;  ///< the most that every curve has
  double seconds = 0;
  std::vector<CurveSummary> jobs;
};

/// `target`: a test accuracy, 0 to 1. At least one job.
[[nodiscard]] CurveComparison compare(const std::vector<SeededCurves>& jobs,
                                      const std::optional<double>& target);

[[nodiscard]] CurveSummary summary_of(const SeededCurves& job);

[[nodiscard]] nlohmann::ordered_json to_json(const CurveComparison& comparison);

}  // namespace epochcast
