// SPDX-License-Identifier: Apache-2.0
#include "core/formats/learning_metric.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/units.hpp"

namespace epochcast {
namespace {

/// A point's value, or the worst possible one.
double value_or_worst(const CurvePoint& point, Metric metric) {
  const double worst = metric == Metric::accuracy ? 0 : std::numeric_limits<double>::infinity();
  const double value = value_of(point, metric).value_or(worst);
  return std::isnan(value) ? worst : value;
}

/// The assumed value before the first epoch.
double beginning(const Curve& curve, Metric metric) {
  return metric == Metric::accuracy ? 0 : value_or_worst(curve.front(), metric);
}

/// The value at which a growing amount reaches `amount`.
double value_where(const Curve& curve, Metric metric, double CurvePoint::*growing, double amount) {
  double before_amount = 0;
  double before = beginning(curve, metric);
  for (const CurvePoint& point : curve) {
    const double now = value_or_worst(point, metric);
    if (point.*growing >= amount) {
      const double share = (amount - before_amount) / (point.*growing - before_amount);
      return std::isfinite(before) && std::isfinite(now) ? before + share * (now - before) : now;
    }
    before_amount = point.*growing;
    before = now;
  }
  return before;
}

}  // namespace

std::string_view to_string(Metric metric) {
  switch (metric) {
    case Metric::accuracy:
      return "accuracy";
    case Metric::loss:
      return "loss";
    case Metric::perplexity:
      return "perplexity";
  }
  return {};
}

std::string metric_text(Metric metric, double value) {
  return metric == Metric::accuracy ? format_percent(value, 1) : fmt::format("{:.4g}", value);
}

std::string spread_text(Metric metric, const Spread& values, bool is_single) {
  if (metric == Metric::accuracy) return percent_text(values, is_single);
  const std::string mean = fmt::format("{:.4g}", values.mean);
  return is_single ? mean : mean + fmt::format(" ± {:.2g}", values.deviation);
}

std::optional<double> value_of(const CurvePoint& point, Metric metric) {
  switch (metric) {
    case Metric::accuracy:
      return point.test_accuracy;
    case Metric::loss:
      return point.test_loss;
    case Metric::perplexity:
      return point.test_perplexity;
  }
  return std::nullopt;
}

bool is_better(Metric metric, double one, double other) {
  if (std::isnan(one)) return false;
  if (std::isnan(other)) return true;
  return metric == Metric::accuracy ? one > other : one < other;
}

Metric main_metric(const Curve& curve) {
  if (curve.front().test_perplexity) return Metric::perplexity;
  return curve.front().test_accuracy ? Metric::accuracy : Metric::loss;
}

bool LearningTarget::is_met(const CurvePoint& point) const {
  const std::optional<double> found = value_of(point, metric);
  return found && !std::isnan(*found) && !is_better(metric, value, *found);
}

std::string LearningTarget::text() const {
  return std::string(to_string(metric)) + " " + metric_text(metric, value);
}

const CurvePoint& best_of(const Curve& curve, Metric metric) {
  return *std::min_element(
      curve.begin(), curve.end(), [metric](const CurvePoint& a, const CurvePoint& b) {
        return is_better(metric, value_or_worst(a, metric), value_or_worst(b, metric));
      });
}

double value_at(const Curve& curve, Metric metric, double seconds) {
  return value_where(curve, metric, &CurvePoint::training_s, seconds);
}

double value_after(const Curve& curve, Metric metric, double samples) {
  return value_where(curve, metric, &CurvePoint::samples, samples);
}

namespace {

/// A figure that grows with training, where the target was first met, interpolated between epochs.
std::optional<double> figure_at(const Curve& curve,
                                const LearningTarget& target,
                                double CurvePoint::*figure) {
  double before = 0;
  double value_before = curve.empty() ? 0 : beginning(curve, target.metric);
  for (const CurvePoint& point : curve) {
    const double value = value_or_worst(point, target.metric);
    if (target.is_met(point)) {
      const double rise = value - value_before;
      const double share = std::isfinite(rise) && is_better(target.metric, value, value_before)
                               ? std::clamp((target.value - value_before) / rise, 0.0, 1.0)
                               : 1;
      return before + share * (point.*figure - before);
    }
    before = point.*figure;
    value_before = value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> seconds_to(const Curve& curve, const LearningTarget& target) {
  return figure_at(curve, target, &CurvePoint::training_s);
}

std::optional<double> samples_to(const Curve& curve, const LearningTarget& target) {
  return figure_at(curve, target, &CurvePoint::samples);
}

}  // namespace epochcast
