// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/prospects.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "base/statistics/spread.hpp"

namespace epochcast {
namespace {

/// The standard deviation of the logarithm of a stretch, by which candidates are given up, once the
/// one ahead has been tested often. It is calibrated: see "Accuracy and cost of the choice" in
/// docs/rehearsals.md.
constexpr double kStretchDeviation = 0.45;

/// The relative standard deviation of an objective between seeds that is assumed before any is
/// known, and with how many degrees of freedom.
constexpr double kUsualDeviation = 0.15;
constexpr double kUsualFreedom = 4;

double below(double value, double mean, double deviation) {
  if (deviation == 0) return value > mean ? 1 : value == mean ? 0.5 : 0;
  return boost::math::cdf(boost::math::normal_distribution<double>(mean, deviation), value);
}

/// The probability that a normal number, of which only the part above `least` is possible, and
/// noise of this deviation are below zero together.
double chance_below_zero(double mean, double deviation, double least, double noise) {
  constexpr int kSteps = 100;
  const boost::math::normal_distribution<double> normal(mean, deviation);
  const double gone = boost::math::cdf(normal, least);
  if (gone > 1 - 1e-9) return below(0, least, noise);
  double sum = 0;
  for (int i = 0; i < kSteps; ++i)
    sum += below(0, boost::math::quantile(normal, gone + (1 - gone) * (i + 0.5) / kSteps), noise);
  return sum / kSteps;
}

/// The lowest loss until then.
double lowest_loss(const Curve& curve, double until_s) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const CurvePoint& point : curve) {
    if (point.training_s <= until_s) lowest = std::min(lowest, point.test_loss);
  }
  return lowest;
}

/// Seconds until a curve first has this loss; none if it has not.
std::optional<double> seconds_to_loss(const Curve& curve, double loss, double untrained) {
  double before_s = 0;
  double before = untrained;
  for (const CurvePoint& point : curve) {
    if (point.test_loss <= loss) {
      // Of the first test it is only known that it was better.
      constexpr double kLeastShare = 0.5;
      const double share = point.test_loss < before
                               ? std::clamp((before - loss) / (before - point.test_loss), 0.0, 1.0)
                               : 1.0;
      const double least = before_s == 0 ? kLeastShare : 0;
      return before_s + std::max(least, share) * (point.training_s - before_s);
    }
    if (point.test_loss < before) {
      before = point.test_loss;
      before_s = point.training_s;
    }
  }
  return std::nullopt;
}

}  // namespace

double stretch_of(const Curve& curve, const Curve& other, double untrained) {
  const double seconds = curve.back().training_s;
  const std::optional<double> others =
      seconds_to_loss(other, lowest_loss(curve, seconds), untrained);
  return others ? seconds / *others : 0;
}

Prospects::Prospects(const std::vector<CandidateOutcome>& outcomes,
                     const std::vector<std::size_t>& some,
                     const TuningPlan& plan,
                     Metric metric)
    : outcomes_(outcomes), plan_(plan), metric_(metric) {
  untrained_ = -std::numeric_limits<double>::infinity();
  for (const std::size_t index : some) {
    known_[index] = known_of(outcomes[index]);
    untrained_ = std::max(untrained_, outcomes[index].curves.front().front().test_loss);
  }
  deviation_ = deviation_between_seeds();
  ahead_ = find_ahead();
}

Prospects::Known Prospects::known_of(const CandidateOutcome& outcome) const {
  Known known;
  for (const Curve& curve : outcome.curves) {
    std::optional<double> objective;
    if (plan_.goal.target) {
      objective = seconds_to(curve, *plan_.goal.target);
    } else if (curve.back().training_s >= plan_.goal.most_s) {
      objective = value_at(curve, metric_, plan_.goal.most_s);
    }
    if (objective) {
      known.objectives.push_back(*objective);
    } else {
      known.under_way_s = curve.back().training_s;
    }
  }
  return known;
}

double Prospects::deviation_between_seeds() const {
  double squares = kUsualFreedom * kUsualDeviation * kUsualDeviation;
  double freedom = kUsualFreedom;
  for (const auto& [index, known] : known_) {
    if (known.objectives.size() < 2) continue;
    const double deviation = deviation_of(known.objectives) / std::abs(mean_of(known.objectives));
    if (!std::isfinite(deviation)) continue;
    squares += static_cast<double>(known.objectives.size() - 1) * deviation * deviation;
    freedom += static_cast<double>(known.objectives.size() - 1);
  }
  return std::sqrt(squares / freedom);
}

Prospects::Estimate Prospects::estimate_of(const Known& known) const {
  const auto finished = static_cast<double>(known.objectives.size());
  const double open = plan_.seeds - finished;
  const double mean = mean_of(known.objectives);
  double sum = plan_.seeds * mean;
  if (plan_.goal.target) sum += std::max(0.0, known.under_way_s - mean);
  Estimate estimate = {.mean = sum / plan_.seeds};
  if (open > 0)
    estimate.deviation = deviation_ * open / plan_.seeds * std::sqrt(1 / open + 1 / finished);
  return estimate;
}

std::size_t Prospects::find_ahead() const {
  const bool is_any_finished = std::any_of(
      known_.begin(), known_.end(), [](const auto& one) { return one.second.has_any(); });
  double common_s = std::numeric_limits<double>::infinity();
  for (const auto& [index, known] : known_)
    common_s = std::min(common_s, outcomes_[index].curves.front().back().training_s);
  std::optional<std::size_t> best;
  double best_value = 0;
  for (const auto& [index, known] : known_) {
    if (known.has_any() != is_any_finished) continue;
    const Curve& first = outcomes_[index].curves.front();
    const double value = is_any_finished ? estimate_of(known).mean
                                         : std::min(lowest_loss(first, common_s), untrained_);
    const Metric metric = !is_any_finished || plan_.goal.target ? Metric::loss : metric_;
    if (best && !is_better(metric, value, best_value)) continue;
    best = index;
    best_value = value;
  }
  return *best;
}

double Prospects::chance_of(std::size_t index) const {
  const Known& mine = known_.at(index);
  const Known& first = known_.at(ahead_);
  if (mine.has_any()) {
    const Estimate own = estimate_of(mine);
    const Estimate other = estimate_of(first);
    const double deviation = std::hypot(own.deviation * own.mean, other.deviation * other.mean);
    const double chance = below(other.mean, own.mean, deviation);  // that the own one is less
    return plan_.goal.target || metric_ != Metric::accuracy ? chance : 1 - chance;
  }
  const double stretch =
      stretch_of(outcomes_[index].curves.front(), outcomes_[ahead_].curves.front(), untrained_);
  if (stretch == 0) return 1;
  const double longer = std::log(stretch);
  const auto tests = static_cast<double>(outcomes_[ahead_].curves.front().size());
  const double deviation = kStretchDeviation * std::sqrt(1 + 1 / tests);
  if (!plan_.goal.target) {
    const double left = std::max(0.0, 1 - mine.under_way_s / plan_.goal.most_s);
    return below(0, longer, deviation * std::sqrt(left));
  }
  if (!first.has_any()) return below(0, longer, deviation);
  // It needs more than it has trained for; other seeds differ.
  const double so_far = std::log(mine.under_way_s / first.objectives.front());
  const double seeds =
      std::hypot(deviation_ * std::sqrt(1 - 1.0 / plan_.seeds), estimate_of(first).deviation);
  return chance_below_zero(longer, deviation, so_far, seeds);
}

std::optional<double> Prospects::stretch(std::size_t index) const {
  if (known_.at(index).has_any()) return std::nullopt;
  return stretch_of(outcomes_[index].curves.front(), outcomes_[ahead_].curves.front(), untrained_);
}

}  // namespace epochcast
