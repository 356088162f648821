// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/throughput/step_time.hpp"

namespace epochcast {

/// Standard deviations, as factors: of the assumed fixed part of a batch, and of a data sheet's
/// time per sample (devices reach 20 to 50 % of their peaks).
inline constexpr double kFixedPriorFactor = 1.8;
inline constexpr double kDeviceSampleFactor = 1.6;

/// A configuration and its measured time.
struct MeasuredRow {
  TrainingRow row;
  /// If it is not the job's: a job that is otherwise the same.
  std::optional<GradientOverlap> overlap = {};
  /// Seconds of a step.
  double step_s = 0;
};

/// The rows of a job, and those of other jobs whose batches have the same fixed part (the same
/// network on the same devices).
struct MeasuredRows {
  std::vector<MeasuredRow> own;
  std::vector<std::vector<MeasuredRow>> like = {};
};

/// The first of the rows of the fewest devices. `measured` has at least one.
[[nodiscard]] const MeasuredRow& base_row(const std::vector<MeasuredRow>& measured);

/// The largest row of one node with several devices, or null: of the job itself, or of the same job
/// with another overlap.
[[nodiscard]] const MeasuredRow* node_row(const std::vector<MeasuredRow>& measured,
                                          bool is_other_overlap);

/// A cost, and its probability among those that a fit returns.
struct ProbableCost {
  StepCost cost;
  double probability = 0;
};

/// Fits a job's costs to measured rows. Every returned cost has the time per sample of the base row
/// and the extra of a full node of the largest row of one node. Costs differ in the fixed part of a
/// batch, which rows of other batch sizes determine, and in the rates of exchanges, which rows of
/// several nodes determine. Probabilities sum to 1. Throws a UserError without a row.
[[nodiscard]] std::vector<ProbableCost> fit_step_cost(const NodeFigures& node,
                                                      const TrainingJob& job,
                                                      const StepAssumptions& assumptions,
                                                      const MeasuredRows& measured,
                                                      double assumed_fixed_s,
                                                      double assumed_optimizer_s);

}  // namespace epochcast
