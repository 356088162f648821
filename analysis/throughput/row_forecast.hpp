// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/throughput/row_fit.hpp"

namespace epochcast {

/// Rates that benchmarks measured; absent ones are taken from the node's nominal figures and have a
/// wider interval.
struct MeasuredRates {
  std::optional<double> node_bytes_per_s = {};
  std::optional<double> network_bytes_per_s = {};
  std::optional<double> network_hop_s = {};
};

/// Standard deviations from the middle of an interval to its bounds.
inline constexpr double k90PercentDeviations = 1.645;

/// A step's forecast seconds, and the bounds between which 90 % of measured steps are expected.
struct StepForecast {
  double step_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// Forecasts of the asked rows. Every assumption is varied by its own uncertainty, the fit is
/// repeated, and the changes of the forecast are added as root of the sum of squares: what the
/// measured rows determine adds nothing. The measured row that the fit is farthest from adds the
/// part of its deviation that noise does not explain.
[[nodiscard]] std::vector<StepForecast> forecast_rows(const NodeFigures& node,
                                                      const TrainingJob& job,
                                                      const MeasuredRows& measured,
                                                      const MeasuredRates& rates,
                                                      const std::vector<TrainingRow>& asked);

}  // namespace epochcast
