// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/row_fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace epochcast {
namespace {

// A fixed part above this share of a batch is not believed without rows that show it.
constexpr double kMostFixedShare = 0.5;
// Exchanges of a smaller share of a step tell nothing of what hides them: rows differ at random,
// too.
constexpr double kTellingShare = 0.08;
// Standard deviation of measured rows of other batch sizes and of several nodes.
constexpr double kRowError = 0.02;

double samples_per_device(const TrainingRow& row) { return row.batch * row.accumulation; }

double square(double value) { return value * value; }

/// Fits the costs of one job to its rows.
class RowFit {
 public:
  RowFit(const NodeFigures& node,
         const TrainingJob& job,
         const StepAssumptions& assumptions,
         const std::vector<MeasuredRow>& measured)
      : node_(node),
        job_(job),
        assumptions_(assumptions),
        measured_(measured),
        base_(base_row(measured)) {}

  /// The cost with an assumed fixed part of a batch and share of the assumed rates.
  StepCost with(double fixed_s, double optimizer_s, double rate_share) const {
    StepCost cost = base_cost(fixed_s, optimizer_s, rate_share);
    cost.is_node_assumed =
        !node_row(measured_, true) && !node_row(measured_, false) && base_.row.devices == 1;
    if (const MeasuredRow* after = node_row(measured_, true); after && after != &base_) {
      TrainingJob other = job_;
      other.overlap = *after->overlap;
      add_extra(cost, *after, other);
    }
    if (const MeasuredRow* full = node_row(measured_, false); full && full != &base_)
      fit_node(cost, *full);
    return cost;
  }

  /// Squares of the rows' deviations from the cost, in standard deviations, and that of the time
  /// per sample from its data sheet's, if no row of a node determines it.
  double misfit(const StepCost& cost) const {
    double sum = 0;
    for (const MeasuredRow& row : measured_) {
      if (row.overlap) continue;
      sum += square(std::log(step_of(cost, row) / row.step_s) / kRowError);
    }
    if (base_.row.nodes > 1 && job_.device_sample_s > 0)
      sum += square(std::log(std::max(1e-6, cost.per_sample_s / job_.device_sample_s)) /
                    std::log(kDeviceSampleFactor));
    return sum;
  }

 private:
  double step_of(const StepCost& cost, const MeasuredRow& row) const {
    return step_s(node_, job_, assumptions_, cost, row.row);
  }

  /// The value of a variable with which the row of `job` takes its measured time.
  template <typename Set>
  double solved(
      const TrainingJob& job, StepCost cost, const MeasuredRow& row, double most, Set set) const {
    double low = 0;
    double high = most;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      set(cost, middle);
      (step_s(node_, job, assumptions_, cost, row.row) < row.step_s ? low : high) = middle;
    }
    return (low + high) / 2;
  }

  /// The cost of the base row alone.
  StepCost base_cost(double fixed_s, double optimizer_s, double rate_share) const {
    const double batch_s = base_.step_s / base_.row.accumulation;
    StepCost cost;
    cost.is_node_assumed = base_.row.devices == 1;
    if (job_.overlap == GradientOverlap::priority) cost.message_s = assumptions_.scheduler_s;
    cost.fixed_s = std::min(fixed_s, kMostFixedShare * batch_s);
    cost.optimizer_s = std::min(optimizer_s, kMostFixedShare * base_.step_s);
    cost.network_rate_share = rate_share;
    // Rows of several nodes do not tell which link is slower than assumed.
    if (base_.row.nodes > 1) cost.node_rate_share = rate_share;
    cost.per_sample_s =
        solved(job_, cost, base_, batch_s / base_.row.batch, [](StepCost& c, double s) {
          c.per_sample_s = s;
        });
    return cost;
  }

  void add_extra(StepCost& cost, const MeasuredRow& row, const TrainingJob& job) const {
    const auto lost_s = [&] {
      return row.step_s - step_s(node_, job, assumptions_, cost, row.row);
    };
    // A node that loses less than its devices' variation explains has less of it.
    if (lost_s() < 0 && cost.node_extra_s == 0) {
      cost.variation = solved(
          job, cost, row, assumptions_.variation, [](StepCost& c, double v) { c.variation = v; });
    }
    const double fullness =
        std::log2(row.row.devices) / std::log2(std::max(2, node_.devices_per_node));
    cost.node_extra_s += lost_s() / fullness / row.row.accumulation;
  }

  /// The extra of the largest row of one node over one device.
  void fit_node(StepCost& cost, const MeasuredRow& full) const {
    const double modelled_s = step_of(cost, full);
    const bool is_slower = full.step_s > modelled_s;
    if (is_slower && job_.overlap == GradientOverlap::priority &&
        job_.exchange != Exchange::byteps) {
      cost.message_s =
          solved(job_, cost, full, full.step_s, [](StepCost& c, double s) { c.message_s = s; });
      return;
    }
    const double exchanged_s =
        exchange_s(assumptions_.rates, job_.exchange, full.row, job_.gradient_bytes, 1);
    if (is_slower && cost.node_extra_s > 0 && exchanged_s > kTellingShare * full.step_s) {
      const double most = assumptions_.hiding_share;
      cost.hiding_share = most - solved(job_, cost, full, most, [&](StepCost& c, double unhidden) {
                            c.hiding_share = most - unhidden;
                          });
    } else if (full.step_s > (1 + assumptions_.limited_loss) * modelled_s &&
               job_.overlap != GradientOverlap::none) {
      limit_node(cost, full);
      return;
    }
    add_extra(cost, full, job_);
  }

  void limit_node(StepCost& cost, const MeasuredRow& full) const {
    constexpr double kMostSlowdown = 1000;
    if (assumptions_.node_limit == NodeLimit::copies) {
      const double slowdown = solved(job_, cost, full, kMostSlowdown, [](StepCost& c, double s) {
        c.node_rate_share = 1 / (1 + s);
      });
      cost.node_rate_share = 1 / (1 + slowdown);
    } else {
      cost.loaded_samples_per_s = samples_per_device(full.row) * full.row.devices / full.step_s;
    }
  }

  const NodeFigures& node_;
  const TrainingJob& job_;
  const StepAssumptions& assumptions_;
  const std::vector<MeasuredRow>& measured_;
  const MeasuredRow& base_;
};

}  // namespace

const MeasuredRow& base_row(const std::vector<MeasuredRow>& measured) {
  return *std::min_element(
      measured.begin(), measured.end(), [](const MeasuredRow& a, const MeasuredRow& b) {
        return a.row.devices < b.row.devices;
      });
}

const MeasuredRow* node_row(const std::vector<MeasuredRow>& measured, bool is_other_overlap) {
  const MeasuredRow* found = nullptr;
  for (const MeasuredRow& row : measured) {
    if (row.row.nodes != 1 || row.row.devices < 2 || row.overlap.has_value() != is_other_overlap)
      continue;
    if (!found || row.row.devices > found->row.devices) found = &row;
  }
  return found;
}

std::vector<ProbableCost> fit_step_cost(const NodeFigures& node,
                                        const TrainingJob& job,
                                        const StepAssumptions& assumptions,
                                        const MeasuredRows& measured,
                                        double assumed_fixed_s,
                                        double assumed_optimizer_s) {
  if (measured.own.empty()) throw UserError("expected at least one measured row");
  const RowFit own(node, job, assumptions, measured.own);
  std::vector<RowFit> like;
  for (const std::vector<MeasuredRow>& rows : measured.like)
    like.emplace_back(node, job, assumptions, rows);
  const bool is_network_measured =
      std::any_of(measured.own.begin(), measured.own.end(), [](const MeasuredRow& row) {
        return row.row.nodes > 1 && !row.overlap;
      });

  // Powers of two of the assumed fixed part and rates.
  constexpr double kStep = 0.25;
  constexpr int kMostFixed = 12;
  const int slowest = is_network_measured ? -12 : 0;
  const int fastest = is_network_measured ? 4 : 0;
  std::vector<ProbableCost> costs;
  std::vector<double> misfits;
  for (int i = -kMostFixed; i <= kMostFixed; ++i) {
    const double fixed_s = assumed_fixed_s * std::exp2(kStep * i);
    double fixed_misfit = square(kStep * i / std::log2(kFixedPriorFactor));
    for (const RowFit& other : like)
      fixed_misfit += other.misfit(other.with(fixed_s, assumed_optimizer_s, 1));
    for (int k = slowest; k <= fastest; ++k) {
      const StepCost cost = own.with(fixed_s, assumed_optimizer_s, std::exp2(kStep * k));
      costs.push_back({.cost = cost});
      misfits.push_back(fixed_misfit + own.misfit(cost) +
                        square(kStep * k / std::log2(assumptions.network_rate_factor)));
    }
  }
  const double least = *std::min_element(misfits.begin(), misfits.end());
  double sum = 0;
  for (const double misfit : misfits) sum += std::exp((least - misfit) / 2);
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i].probability = std::exp((least - misfits[i]) / 2) / sum;
  return costs;
}

}  // namespace epochcast
