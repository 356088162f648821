// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/statistics/spread.hpp"
#include "core/formats/curve_point.hpp"

namespace epochcast {

/// The metric of a test: the share of correct classifications, the mean loss, or, of language
/// models, e to the mean loss of a token (Jelinek et al., JASA 62, 1977).
enum class Metric { accuracy, loss, perplexity };

/// "accuracy", "loss", "perplexity".
[[nodiscard]] std::string_view to_string(Metric metric);
/// A value as people read it: "56.7 %", "1.234".
[[nodiscard]] std::string metric_text(Metric metric, double value);
/// The same of several seeds: "56.7 ± 0.3 %"; of a single one, the mean alone.
[[nodiscard]] std::string spread_text(Metric metric, const Spread& values, bool is_single);
/// A point's value; none if it lacks the metric, such as accuracy without classes.
[[nodiscard]] std::optional<double> value_of(const CurvePoint& point, Metric metric);
/// Whether one value is better than another; NaN is worse than any number.
[[nodiscard]] bool is_better(Metric metric, double one, double other);
/// The metric by which such curves are compared: perplexity if there is any, else accuracy, else
/// the loss. At least one point.
[[nodiscard]] Metric main_metric(const Curve& curve);

/// The test result that training is to reach.
struct LearningTarget {
  Metric metric = Metric::accuracy;
  double value = 0;

  /// Whether a point meets the target.
  [[nodiscard]] bool is_met(const CurvePoint& point) const;
  /// "accuracy 90.0 %", "perplexity 12.5".
  [[nodiscard]] std::string text() const;
};

/// The epoch of the best value, the first of several. At least one point.
[[nodiscard]] const CurvePoint& best_of(const Curve& curve, Metric metric);
/// The value after so many seconds of training, or after training on so many samples, interpolated
/// between epochs. Before the first epoch's end, accuracy rises from 0; other metrics are constant.
/// At least one point.
[[nodiscard]] double value_at(const Curve& curve, Metric metric, double seconds);
[[nodiscard]] double value_after(const Curve& curve, Metric metric, double samples);
/// Seconds of training until the target was first met, interpolated between epochs as value_at()
/// does; none if it was never met.
[[nodiscard]] std::optional<double> seconds_to(const Curve& curve, const LearningTarget& target);
/// The same in samples that all workers together trained on.
[[nodiscard]] std::optional<double> samples_to(const Curve& curve, const LearningTarget& target);

}  // namespace epochcast
