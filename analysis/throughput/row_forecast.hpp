// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/throughput/step_time.hpp"

namespace epochcast {

/// A configuration and its measured time.
struct MeasuredRow {
  TrainingRow row;
  /// If it is not the job's: a job that is otherwise the same.
  std::optional<GradientOverlap> overlap = {};
  /// Seconds of a step.
  double step_s = 0;
};

/// Rates that benchmarks measured; absent ones are taken from the node's nominal figures and have a
/// wider interval.
struct MeasuredRates {
  std::optional<double> node_bytes_per_s = {};
  std::optional<double> network_bytes_per_s = {};
  std::optional<double> network_hop_s = {};
};

/// A step's forecast seconds, and the bounds between which 90 % of measured steps are expected.
struct StepForecast {
  double step_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// The rows of a job, and those of other jobs whose batches have the same fixed part (the same
/// network on the same devices).
struct MeasuredRows {
  std::vector<MeasuredRow> own;
  std::vector<std::vector<MeasuredRow>> like = {};
};

/// Fits a job's costs to measured rows: the time per sample to the one of the fewest devices (the
/// first of several), the extra of a full node to the largest row of one node, the fixed part of a
/// batch to rows of other batch sizes. Throws a UserError without a row.
[[nodiscard]] StepCost fit_step_cost(const NodeFigures& node,
                                     const TrainingJob& job,
                                     const StepAssumptions& assumptions,
                                     const MeasuredRows& measured,
                                     double assumed_fixed_s,
                                     double assumed_optimizer_s);

/// Forecasts of the asked rows. Every assumption is varied by its own uncertainty, the fit is
/// repeated, and the changes of the forecast are added as root of the sum of squares: what the
/// measured rows determine adds nothing.
[[nodiscard]] std::vector<StepForecast> forecast_rows(const NodeFigures& node,
                                                      const TrainingJob& job,
                                                      const MeasuredRows& measured,
                                                      const MeasuredRates& rates,
                                                      const std::vector<TrainingRow>& asked);

}  // namespace epochcast
