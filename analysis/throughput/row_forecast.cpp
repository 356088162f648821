// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/row_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace epochcast {
namespace {

// A kernel of a small batch, with its start, on a device of this memory bandwidth.
constexpr double kKernelS = 8e-6;
constexpr double kKernelBytesPerS = 1.8e12;
// Of a scheduler's message, one standard deviation, where no row shows it.
constexpr double kSchedulerS = 0.5e-3;
// Standard deviations of rates, as factors: measured ones, and those that no row of one node shows.
constexpr double kMeasuredRateFactor = 1.05;
constexpr double kUnseenRateFactor = 1.5;
constexpr double kGrpcFactor = 1.5;
// Losses of a full node above which readings differ in what limits it.
constexpr double kLeastLimitedLoss = 0.1;
constexpr double kNoLoss = 1e9;

/// Everything that is assumed, for one forecast.
struct Assumed {
  StepAssumptions step;
  double fixed_factor = 1;
  double optimizer_factor = 1;
  double node_factor = 1;
  double gradient_factor = 1;
  double device_factor = 1;
};

/// `base`: the row from which the forecast starts.
Assumed usual(const NodeFigures& node, const MeasuredRates& rates, const TrainingRow& base) {
  Assumed assumed;
  StepAssumptions& step = assumed.step;
  step.rates = default_rates(node);
  // A connection's limit is less well known than a wire's.
  const bool is_wire_limited = step.rates.network_bytes_per_s > 0.8 * node.network_bytes_per_s;
  step.network_rate_factor = is_wire_limited ? 1.2 : 1.4;
  // No row shows that the node's exchanges are as fast as assumed.
  if (base.nodes > 1) step.node_rate_factor = step.network_rate_factor = kUnseenRateFactor;
  if (rates.node_bytes_per_s) {
    step.rates.node_bytes_per_s = *rates.node_bytes_per_s;
    step.node_rate_factor = kMeasuredRateFactor;
  }
  if (rates.network_bytes_per_s) {
    step.rates.network_bytes_per_s = *rates.network_bytes_per_s;
    step.rates.server_bytes_per_s = *rates.network_bytes_per_s;
    if (node.network_bytes_per_s > 0)
      step.rates.shaped_share =
          std::min(1.0, *rates.network_bytes_per_s / node.network_bytes_per_s);
    step.network_rate_factor = kMeasuredRateFactor;
  }
  if (rates.network_hop_s) assumed.step.rates.network_hop_s = *rates.network_hop_s;
  return assumed;
}

std::vector<double> forecast_with(const NodeFigures& node,
                                  const TrainingJob& job,
                                  const MeasuredRows& measured,
                                  const Assumed& assumed,
                                  const std::vector<TrainingRow>& asked) {
  const double kernel_s =
      kKernelS *
      (node.memory_bytes_per_s > 0 ? std::sqrt(kKernelBytesPerS / node.memory_bytes_per_s) : 1);
  const double fixed_s = assumed.fixed_factor * job.kernels * kernel_s;
  TrainingJob assumed_job = job;
  assumed_job.gradient_bytes *= assumed.gradient_factor;
  assumed_job.last_gradient_bytes *= assumed.gradient_factor;
  assumed_job.node_sample_s *= assumed.node_factor;
  assumed_job.distributed_step_s *= assumed.node_factor;
  assumed_job.device_sample_s *= assumed.device_factor;
  assumed_job.outer_bytes_per_parameter *= assumed.optimizer_factor;
  const double optimizer_s = node.memory_bytes_per_s > 0
                                 ? assumed.optimizer_factor * job.parameters *
                                       job.optimizer_bytes_per_parameter / node.memory_bytes_per_s
                                 : 0;
  const std::vector<ProbableCost> costs =
      fit_step_cost(node, assumed_job, assumed.step, measured, fixed_s, optimizer_s);
  std::vector<double> steps_s;
  steps_s.reserve(asked.size());
  for (const TrainingRow& row : asked) {
    double mean = 0;
    for (const ProbableCost& cost : costs) {
      mean += cost.probability * std::log(step_s(node, assumed_job, assumed.step, cost.cost, row));
    }
    steps_s.push_back(std::exp(mean));
  }
  return steps_s;
}

/// Two other assumptions, and how many standard deviations they are from the usual ones.
struct Variation {
  Assumed one;
  Assumed other;
  double deviations = 1;
};

/// The assumptions, each varied up and down by its uncertainty.
std::vector<Variation> varied(const Assumed& usual,
                              const NodeFigures& node,
                              const MeasuredRates& rates,
                              const TrainingJob& job) {
  std::vector<Variation> all;
  const auto vary = [&](auto change) {
    Variation& added = all.emplace_back(Variation{usual, usual});
    change(added.one, false);
    change(added.other, true);
  };
  const auto scale = [](double& value, double factor, bool is_up) {
    value *= is_up ? factor : 1 / factor;
  };
  const auto scale_network = [&](Assumed& a, double factor, bool up) {
    scale(a.step.rates.network_bytes_per_s, factor, up);
    scale(a.step.rates.server_bytes_per_s, factor, up);
    scale(a.step.rates.shaped_share, factor, up);
  };
  vary([&](Assumed& a, bool up) { scale_network(a, usual.step.network_rate_factor, up); });
  vary([&](Assumed& a, bool up) {
    scale(a.step.rates.node_bytes_per_s, usual.step.node_rate_factor, up);
  });
  if (job.exchange == Exchange::grpc)
    vary([&](Assumed& a, bool up) { scale(a.step.rates.server_bytes_per_s, kGrpcFactor, up); });
  if (node.is_node_staged)
    vary([&](Assumed& a, bool up) { scale(a.step.rates.crossing_share, 1.13, up); });
  vary([&](Assumed& a, bool up) {
    scale(a.step.rates.network_hop_s, rates.network_hop_s ? 1.2 : 1.8, up);
    scale(a.step.rates.node_hop_s, 1.8, up);
  });
  vary([&](Assumed& a, bool up) { scale(a.fixed_factor, kFixedPriorFactor, up); });
  vary([&](Assumed& a, bool up) { scale(a.device_factor, kDeviceSampleFactor, up); });
  vary([&](Assumed& a, bool up) { scale(a.node_factor, 2.0, up); });
  if (job.is_gradient_assumed)
    vary([&](Assumed& a, bool up) { scale(a.gradient_factor, 1.5, up); });
  vary([&](Assumed& a, bool up) { scale(a.optimizer_factor, 1.8, up); });
  vary([&](Assumed& a, bool up) { a.step.variation += up ? 0.012 : -0.012; });
  vary([&](Assumed& a, bool up) { a.step.overlap_slowdown += up ? 0.08 : -0.08; });
  // Copies through host memory take PCIe and processors from computing: they may hide little.
  const double less_hidden = node.is_node_staged ? 0.6 : 0.25;
  vary([&](Assumed& a, bool up) { a.step.hiding_share += up ? 0.1 : -less_hidden; });
  // A scheduler's work for each message, up to a Horovod cycle (1 ms), delays it.
  vary([&](Assumed& a, bool up) { a.step.scheduler_s += up ? kSchedulerS : 0; });
  vary([&](Assumed& a, bool up) { a.step.overlapping_share += up ? 0.4 : -0.4; });
  // Other readings of a node's loss are bounds of the interval, not deviations.
  vary([&](Assumed& a, bool up) { a.step.limited_loss = up ? kNoLoss : kLeastLimitedLoss; });
  all.back().deviations = k90PercentDeviations;
  vary([&](Assumed& a, bool) { a.step.node_limit = NodeLimit::copies; });
  all.back().deviations = k90PercentDeviations;
  return all;
}

/// Of a row's logarithm, beyond the assumptions: one run differs from the next, more so the larger
/// the cluster, and the first step out of a node meets what no row of one node shows.
double unmodelled_variance(const TrainingRow& row, bool is_node_measured) {
  constexpr double kRun = 0.02;
  constexpr double kDoublingOfNodes = 0.01;
  constexpr double kOutOfNode = 0.04;
  constexpr double kUnmeasuredNode = 0.035;
  constexpr double kPartOfNode = 0.015;
  double variance = kRun * kRun;
  if (row.nodes > 1)
    variance += kOutOfNode * kOutOfNode + std::pow(kDoublingOfNodes * std::log2(row.nodes), 2);
  if (row.devices > 1 && !is_node_measured) variance += kUnmeasuredNode * kUnmeasuredNode;
  if (row.devices > 1 && is_node_measured && row.nodes == 1) variance += kPartOfNode * kPartOfNode;
  return variance;
}

/// Of the job's own rows, the largest squared deviation of the fit, as a logarithm, beyond what is
/// not modelled: rows contradict each other, or the model.
double contradiction(const NodeFigures& node,
                     const TrainingJob& job,
                     const MeasuredRows& measured,
                     const Assumed& assumed,
                     bool is_node_measured) {
  std::vector<TrainingRow> rows;
  std::vector<double> measured_s;
  for (const MeasuredRow& each : measured.own) {
    if (each.overlap) continue;
    rows.push_back(each.row);
    measured_s.push_back(each.step_s);
  }
  const std::vector<double> fitted_s = forecast_with(node, job, measured, assumed, rows);
  double most = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double squared = std::pow(std::log(fitted_s[i] / measured_s[i]), 2);
    most = std::max(most, squared - unmodelled_variance(rows[i], is_node_measured));
  }
  return most;
}

}  // namespace

std::vector<StepForecast> forecast_rows(const NodeFigures& node,
                                        const TrainingJob& job,
                                        const MeasuredRows& measured,
                                        const MeasuredRates& rates,
                                        const std::vector<TrainingRow>& asked) {
  if (measured.own.empty()) throw UserError("expected at least one measured row");
  const Assumed assumed = usual(node, rates, base_row(measured.own).row);
  const std::vector<double> usual_s = forecast_with(node, job, measured, assumed, asked);
  // Of the logarithms of forecasts that are faster and slower than the usual one.
  std::vector<double> faster(asked.size(), 0);
  std::vector<double> slower(asked.size(), 0);
  for (const Variation& variation : varied(assumed, node, rates, job)) {
    const std::vector<double> one_s = forecast_with(node, job, measured, variation.one, asked);
    const std::vector<double> other_s = forecast_with(node, job, measured, variation.other, asked);
    for (std::size_t row = 0; row < asked.size(); ++row) {
      const double one = std::log(one_s[row] / usual_s[row]) / variation.deviations;
      const double other = std::log(other_s[row] / usual_s[row]) / variation.deviations;
      faster[row] += std::pow(std::min({0.0, one, other}), 2);
      slower[row] += std::pow(std::max({0.0, one, other}), 2);
    }
  }
  const bool is_node_measured = node_row(measured.own, false) || node_row(measured.own, true) ||
                                base_row(measured.own).row.devices > 1;
  const double misfit = contradiction(node, job, measured, assumed, is_node_measured);
  std::vector<StepForecast> forecasts;
  for (std::size_t row = 0; row < asked.size(); ++row) {
    const double rest = unmodelled_variance(asked[row], is_node_measured) + misfit;
    const auto factor = [&](double variance) {
      return std::exp(k90PercentDeviations * std::sqrt(variance + rest));
    };
    forecasts.push_back({.step_s = usual_s[row],
                         .low_s = usual_s[row] / factor(faster[row]),
                         .high_s = usual_s[row] * factor(slower[row])});
  }
  return forecasts;
}

}  // namespace epochcast
