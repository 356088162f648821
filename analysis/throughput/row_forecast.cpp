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
// A fixed part above this share of a batch is not believed without rows that show it.
constexpr double kMostFixedShare = 0.5;
// A full node that loses more than this, and not by its exchange, waits for its input.
constexpr double kLoadingLoss = 0.3;
// Exchanges of a smaller share of a step tell nothing of what hides them: rows differ at random,
// too.
constexpr double kTellingShare = 0.08;
// Measured rows of other batch sizes, as far as they deviate at random.
constexpr double kRowError = 0.02;
constexpr double kFixedPriorFactor = 1.8;
// Of a scheduler's message, one standard deviation, where no row shows it.
constexpr double kSchedulerS = 0.5e-3;

/// Everything that is assumed, for one forecast.
struct Assumed {
  StepAssumptions step;
  double fixed_factor = 1;
  double optimizer_factor = 1;
  double node_factor = 1;
  double gradient_factor = 1;
};

double samples_per_device(const TrainingRow& row) { return row.batch * row.accumulation; }

const MeasuredRow& base_row(const std::vector<MeasuredRow>& measured) {
  return *std::min_element(
      measured.begin(), measured.end(), [](const MeasuredRow& a, const MeasuredRow& b) {
        return a.row.devices < b.row.devices;
      });
}

/// The largest row of one node: of the job itself, or of the same job that sums after backward.
const MeasuredRow* node_row(const std::vector<MeasuredRow>& measured, bool is_other_overlap) {
  const MeasuredRow* found = nullptr;
  for (const MeasuredRow& row : measured) {
    if (row.row.nodes != 1 || row.row.devices < 2 || row.overlap.has_value() != is_other_overlap)
      continue;
    if (!found || row.row.devices > found->row.devices) found = &row;
  }
  return found;
}

/// The value of `variable` with which the row takes its measured time.
template <typename Set>
double solved(const NodeFigures& node,
              const TrainingJob& job,
              const StepAssumptions& assumptions,
              StepCost cost,
              const MeasuredRow& row,
              double most,
              Set set) {
  double low = 0;
  double high = most;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    set(cost, middle);
    (step_s(node, job, assumptions, cost, row.row) < row.step_s ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The cost of the row of the fewest devices alone.
StepCost fit_base(const NodeFigures& node,
                  const TrainingJob& job,
                  const StepAssumptions& assumptions,
                  const MeasuredRow& base,
                  double fixed_s,
                  double optimizer_s) {
  const double batch_s = base.step_s / base.row.accumulation;
  StepCost cost;
  cost.is_node_assumed = base.row.devices == 1;
  if (job.overlap == GradientOverlap::priority) cost.message_s = assumptions.scheduler_s;
  cost.fixed_s = std::min(fixed_s, kMostFixedShare * batch_s);
  cost.optimizer_s = std::min(optimizer_s, kMostFixedShare * base.step_s);
  cost.per_sample_s = solved(
      node, job, assumptions, cost, base, batch_s / base.row.batch, [](StepCost& c, double s) {
        c.per_sample_s = s;
      });
  return cost;
}

StepCost fit_with_fixed(const NodeFigures& node,
                        const TrainingJob& job,
                        const StepAssumptions& assumptions,
                        const std::vector<MeasuredRow>& measured,
                        double fixed_s,
                        double optimizer_s) {
  const MeasuredRow& base = base_row(measured);
  StepCost cost = fit_base(node, job, assumptions, base, fixed_s, optimizer_s);
  cost.is_node_assumed =
      !node_row(measured, true) && !node_row(measured, false) && base.row.devices == 1;
  const auto add_extra = [&](const MeasuredRow& row, const TrainingJob& its_job) {
    const double lost_s = row.step_s - step_s(node, its_job, assumptions, cost, row.row);
    // A node that loses less than its devices' variation explains has less of it.
    if (lost_s < 0 && cost.node_extra_s == 0) {
      cost.variation = solved(
          node, its_job, assumptions, cost, row, assumptions.variation, [](StepCost& c, double v) {
            c.variation = v;
          });
    }
    const double rest_s = row.step_s - step_s(node, its_job, assumptions, cost, row.row);
    const double fullness =
        std::log2(row.row.devices) / std::log2(std::max(2, node.devices_per_node));
    cost.node_extra_s += rest_s / fullness / row.row.accumulation;
  };
  if (const MeasuredRow* after = node_row(measured, true); after && after != &base) {
    TrainingJob other = job;
    other.overlap = *after->overlap;
    add_extra(*after, other);
  }
  const MeasuredRow* full = node_row(measured, false);
  if (!full || full == &base) return cost;
  const double modelled_s = step_s(node, job, assumptions, cost, full->row);
  const bool is_slower = full->step_s > modelled_s;
  if (is_slower && job.overlap == GradientOverlap::priority && job.exchange != Exchange::byteps) {
    cost.message_s =
        solved(node, job, assumptions, cost, *full, full->step_s, [](StepCost& c, double s) {
          c.message_s = s;
        });
    return cost;
  }
  const double exchanged_s =
      exchange_s(assumptions.rates, job.exchange, full->row, job.gradient_bytes, 1);
  if (is_slower && cost.node_extra_s > 0 && exchanged_s > kTellingShare * full->step_s) {
    cost.hiding_share = solved(
        node, job, assumptions, cost, *full, assumptions.hiding_share, [&](StepCost& c, double s) {
          c.hiding_share = assumptions.hiding_share - s;
        });
    cost.hiding_share = assumptions.hiding_share - *cost.hiding_share;
  } else if (full->step_s > (1 + kLoadingLoss) * modelled_s &&
             job.overlap != GradientOverlap::none) {
    cost.loaded_samples_per_s = samples_per_device(full->row) * full->row.devices / full->step_s;
    return cost;
  }
  add_extra(*full, job);
  return cost;
}

/// Squares of the rows' deviations from the fit, in standard deviations of rows.
double misfit_of(const NodeFigures& node,
                 const TrainingJob& job,
                 const StepAssumptions& assumptions,
                 const StepCost& cost,
                 const std::vector<MeasuredRow>& rows) {
  double misfit = 0;
  for (const MeasuredRow& row : rows) {
    if (row.overlap) continue;
    const double deviation =
        std::log(step_s(node, job, assumptions, cost, row.row) / row.step_s) / kRowError;
    misfit += deviation * deviation;
  }
  return misfit;
}

Assumed usual(const NodeFigures& node, const MeasuredRates& rates) {
  Assumed assumed;
  assumed.step.rates = default_rates(node);
  if (rates.node_bytes_per_s) assumed.step.rates.node_bytes_per_s = *rates.node_bytes_per_s;
  if (rates.network_bytes_per_s) {
    assumed.step.rates.network_bytes_per_s = *rates.network_bytes_per_s;
    assumed.step.rates.server_bytes_per_s = *rates.network_bytes_per_s;
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
  const double optimizer_s = node.memory_bytes_per_s > 0
                                 ? assumed.optimizer_factor * job.parameters *
                                       job.optimizer_bytes_per_parameter / node.memory_bytes_per_s
                                 : 0;
  const StepCost cost =
      fit_step_cost(node, assumed_job, assumed.step, measured, fixed_s, optimizer_s);
  std::vector<double> steps_s;
  steps_s.reserve(asked.size());
  for (const TrainingRow& row : asked)
    steps_s.push_back(step_s(node, assumed_job, assumed.step, cost, row));
  return steps_s;
}

/// The assumptions, each varied up and down by its uncertainty: pairs.
std::vector<Assumed> varied(const Assumed& usual,
                            const NodeFigures& node,
                            const MeasuredRates& rates,
                            bool is_gradient_assumed) {
  std::vector<Assumed> all;
  const auto vary = [&](auto change) {
    for (const bool is_up : {false, true}) {
      Assumed other = usual;
      change(other, is_up);
      all.push_back(other);
    }
  };
  const auto scale = [](double& value, double factor, bool is_up) {
    value *= is_up ? factor : 1 / factor;
  };
  // A connection's limit is less well known than a wire's.
  const bool is_wire_limited =
      usual.step.rates.network_bytes_per_s > 0.8 * node.network_bytes_per_s;
  const double network = rates.network_bytes_per_s ? 1.05 : is_wire_limited ? 1.2 : 1.4;
  vary([&](Assumed& a, bool up) {
    scale(a.step.rates.network_bytes_per_s, network, up);
    scale(a.step.rates.server_bytes_per_s, network, up);
  });
  const double in_node = rates.node_bytes_per_s ? 1.05 : 1.25;
  vary([&](Assumed& a, bool up) { scale(a.step.rates.node_bytes_per_s, in_node, up); });
  if (node.is_node_staged)
    vary([&](Assumed& a, bool up) { scale(a.step.rates.crossing_share, 1.13, up); });
  vary([&](Assumed& a, bool up) {
    scale(a.step.rates.network_hop_s, rates.network_hop_s ? 1.2 : 1.8, up);
    scale(a.step.rates.node_hop_s, 1.8, up);
  });
  vary([&](Assumed& a, bool up) { scale(a.fixed_factor, kFixedPriorFactor, up); });
  vary([&](Assumed& a, bool up) { scale(a.node_factor, 2.0, up); });
  if (is_gradient_assumed) vary([&](Assumed& a, bool up) { scale(a.gradient_factor, 1.5, up); });
  vary([&](Assumed& a, bool up) { scale(a.optimizer_factor, 1.8, up); });
  vary([&](Assumed& a, bool up) { a.step.variation += up ? 0.012 : -0.012; });
  vary([&](Assumed& a, bool up) { a.step.overlap_slowdown += up ? 0.08 : -0.08; });
  // Copies through host memory take PCIe and processors from computing: they may hide little.
  const double less_hidden = node.is_node_staged ? 0.6 : 0.25;
  vary([&](Assumed& a, bool up) { a.step.hiding_share += up ? 0.1 : -less_hidden; });
  // A scheduler's work for each message, up to a Horovod cycle (1 ms), delays it.
  vary([&](Assumed& a, bool up) { a.step.scheduler_s += up ? kSchedulerS : 0; });
  vary([&](Assumed& a, bool up) { a.step.overlapping_share += up ? 0.4 : -0.4; });
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

}  // namespace

StepCost fit_step_cost(const NodeFigures& node,
                       const TrainingJob& job,
                       const StepAssumptions& assumptions,
                       const MeasuredRows& measured,
                       double assumed_fixed_s,
                       double assumed_optimizer_s) {
  if (measured.own.empty()) throw UserError("expected at least one measured row");
  StepCost best;
  double least = 1e300;
  for (int i = -12; i <= 12; ++i) {
    const double factor = std::pow(2.0, i / 4.0);
    const double fixed_s = assumed_fixed_s * factor;
    const StepCost cost =
        fit_with_fixed(node, job, assumptions, measured.own, fixed_s, assumed_optimizer_s);
    double misfit = std::pow(std::log(factor) / std::log(kFixedPriorFactor), 2) +
                    misfit_of(node, job, assumptions, cost, measured.own);
    for (const std::vector<MeasuredRow>& rows : measured.like) {
      const StepCost other =
          fit_with_fixed(node, job, assumptions, rows, fixed_s, assumed_optimizer_s);
      misfit += misfit_of(node, job, assumptions, other, rows);
    }
    if (misfit < least) {
      least = misfit;
      best = cost;
    }
  }
  return best;
}

std::vector<StepForecast> forecast_rows(const NodeFigures& node,
                                        const TrainingJob& job,
                                        const MeasuredRows& measured,
                                        const MeasuredRates& rates,
                                        const std::vector<TrainingRow>& asked) {
  const Assumed assumed = usual(node, rates);
  const std::vector<double> usual_s = forecast_with(node, job, measured, assumed, asked);
  // Of the logarithms of forecasts that are faster and slower than the usual one.
  std::vector<double> faster(asked.size(), 0);
  std::vector<double> slower(asked.size(), 0);
  const std::vector<Assumed> others = varied(assumed, node, rates, job.is_gradient_assumed);
  for (std::size_t i = 0; i < others.size(); i += 2) {
    const std::vector<double> one_s = forecast_with(node, job, measured, others[i], asked);
    const std::vector<double> other_s = forecast_with(node, job, measured, others[i + 1], asked);
    for (std::size_t row = 0; row < asked.size(); ++row) {
      const double one = std::log(one_s[row] / usual_s[row]);
      const double other = std::log(other_s[row] / usual_s[row]);
      faster[row] += std::pow(std::min({0.0, one, other}), 2);
      slower[row] += std::pow(std::max({0.0, one, other}), 2);
    }
  }
  const bool is_node_measured = node_row(measured.own, false) || node_row(measured.own, true) ||
                                base_row(measured.own).row.devices > 1;
  constexpr double k90PercentDeviations = 1.645;
  std::vector<StepForecast> forecasts;
  for (std::size_t row = 0; row < asked.size(); ++row) {
    const double rest = unmodelled_variance(asked[row], is_node_measured);
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
