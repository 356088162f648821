// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/curve_html.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/pages/svg.hpp"
#include "analysis/pages/validation_plots.hpp"
#include "core/spread.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

constexpr double kLeft = 64;
constexpr double kTop = 14;
constexpr double kPlotWidth = 480;
constexpr double kPlotHeight = 300;
constexpr double kLegend = kLeft + kPlotWidth + 24;
constexpr double kWidth = kLegend + 300;
constexpr double kLegendLine = 22;
constexpr std::size_t kLegendLetters = 40;

std::string number(double value) { return fmt::format("{:g}", value); }

std::string percent(double share) { return format_percent(share, 1); }

/// One quantity of a point; nothing where the point has none.
struct Axis {
  std::string title;
  std::optional<double> (*value)(const CurvePoint& point);
  std::string (*text)(double value);
};

const Axis kSeconds = {"time on the simulated cluster",
                       [](const CurvePoint& p) { return std::optional(p.training_s); },
                       [](double s) { return s == 0 ? std::string("0 s") : format_seconds(s); }};
const Axis kEpochs = {
    "epochs",
    [](const CurvePoint& p) { return std::optional(static_cast<double>(p.epoch)); },
    number};
const Axis kBytes = {"bytes sent by all workers",
                     [](const CurvePoint& p) { return std::optional(p.bytes_sent); },
                     [](double b) { return b == 0 ? std::string("0 B") : format_bytes(b); }};
const Axis kAccuracy = {
    "test accuracy", [](const CurvePoint& p) { return p.test_accuracy; }, percent};
const Axis kPerplexity = {"test perplexity",
                          [](const CurvePoint& p) {
                            return p.test_perplexity && std::isfinite(*p.test_perplexity)
                                       ? p.test_perplexity
                                       : std::nullopt;
                          },
                          number};
const Axis kLoss = {"test loss",
                    [](const CurvePoint& p) {
                      return std::isfinite(p.test_loss) ? std::optional(p.test_loss) : std::nullopt;
                    },
                    number};

const Axis& axis_of(Metric metric) {
  switch (metric) {
    case Metric::accuracy:
      return kAccuracy;
    case Metric::perplexity:
      return kPerplexity;
    case Metric::loss:
      break;
  }
  return kLoss;
}

const Axis kDiscriminatorLoss = {
    "discriminator loss", [](const CurvePoint& p) { return p.discriminator_loss; }, number};
const Axis kGeneratorLoss = {
    "generator loss", [](const CurvePoint& p) { return p.generator_loss; }, number};

struct Range {
  double low = 0;
  double high = 1;

  [[nodiscard]] double share(double value) const { return (value - low) / (high - low); }
};

/// `from_zero`: the axis begins there.
Range range_of(const std::vector<NamedCurve>& curves, const Axis& axis, bool from_zero) {
  std::vector<double> values;
  for (const NamedCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      if (const auto value = axis.value(point)) values.push_back(*value);
    }
  }
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double begin = from_zero ? 0 : *low;
  const double width = *high > begin ? *high - begin : std::max(1e-9, std::abs(*high));
  return {from_zero ? 0 : begin - 0.05 * width, *high + 0.05 * width};
}

std::string plot(const std::vector<NamedCurve>& curves,
                 const Axis& x,
                 const Axis& y,
                 const std::optional<double>& target) {
  const Range x_range = range_of(curves, x, true);
  Range y_range = range_of(curves, y, false);
  if (target) {
    y_range.low = std::min(y_range.low, *target);
    y_range.high = std::max(y_range.high, *target + 0.02 * std::max(1.0, *target));
  }
  const auto x_at = [&](double value) { return kLeft + kPlotWidth * x_range.share(value); };
  const auto y_at = [&](double value) { return kTop + kPlotHeight * (1 - y_range.share(value)); };
  const double height =
      kTop + std::max(kPlotHeight + 52, kLegendLine * static_cast<double>(curves.size() + 1));
  std::string svg = "<svg class=\"plot\" viewBox=\"0 0 " + px(kWidth) + " " + px(height) +
                    "\" role=\"img\"><title>" + escaped_html(y.title + " over " + x.title) +
                    "</title>";
  for (const double value : round_values(x_range.low, x_range.high, 6)) {
    svg += svg_line(x_at(value), kTop, x_at(value), kTop + kPlotHeight, "class=\"grid\"") +
           svg_text(x_at(value),
                    kTop + kPlotHeight + 18,
                    x.text(value),
                    "class=\"tick\" text-anchor=\"middle\"");
  }
  for (const double value : round_values(y_range.low, y_range.high, 7)) {
    svg +=
        svg_line(kLeft, y_at(value), kLeft + kPlotWidth, y_at(value), "class=\"grid\"") +
        svg_text(kLeft - 8, y_at(value) + 4, y.text(value), "class=\"tick\" text-anchor=\"end\"");
  }
  svg += svg_rect(kLeft, kTop, kPlotWidth, kPlotHeight, "class=\"frame\"");
  if (target) {
    svg += svg_line(kLeft, y_at(*target), kLeft + kPlotWidth, y_at(*target), "class=\"diagonal\"");
  }
  for (std::size_t style = 0; style < curves.size(); ++style) {
    const NamedCurve& curve = curves[style];
    std::string lines;
    std::string markers;
    std::optional<std::pair<double, double>> before;
    for (const CurvePoint& point : curve.points) {
      const auto x_value = x.value(point);
      const auto y_value = y.value(point);
      if (!x_value || !y_value) continue;
      const std::pair here(x_at(*x_value), y_at(*y_value));
      if (before)
        lines += svg_line(before->first, before->second, here.first, here.second, "class=\"bar\"");
      before = here;
      markers += "<g class=\"point " + colour_class(style) + "\"><title>" +
                 escaped_html(curve.name + ", epoch " + std::to_string(point.epoch) + ": " +
                              y.text(*y_value) + " after " + x.text(*x_value)) +
                 "</title>" + svg_marker(style, here.first, here.second) + "</g>";
    }
    const double line = kTop + 14 + kLegendLine * static_cast<double>(style);
    const std::string color = "<g class=\"" + colour_class(style) + "\">";
    svg += color + lines + "</g>" + markers + color + svg_marker(style, kLegend, line - 4) +
           "</g>" + svg_text(kLegend + 14, line, shortened(curve.name, kLegendLetters), "");
  }
  svg +=
      svg_text(kLeft + kPlotWidth / 2, kTop + kPlotHeight + 42, x.title, "text-anchor=\"middle\"");
  return "<div class=\"wide\">" + svg + "</svg></div>\n";
}

std::string heading(const Axis& x, const Axis& y) {
  std::string text = y.title + " over " + x.title;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return "<h2>" + escaped_html(text) + "</h2>\n";
}

}  // namespace

std::string curve_html(const std::vector<NamedCurve>& curves,
                       const std::string& title,
                       const std::string& command,
                       const std::optional<LearningTarget>& target) {
  const auto has = [&](Metric metric) {
    return std::any_of(curves.begin(), curves.end(), [&](const auto& curve) {
      return !curve.points.empty() && value_of(curve.points.front(), metric).has_value();
    });
  };
  const bool has_halves = std::any_of(curves.begin(), curves.end(), [](const auto& curve) {
    return !curve.points.empty() && curve.points.front().generator_loss.has_value();
  });
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
      escaped_html(title) + "</title>\n<style>\n" + page_css() + plots_css() +
      "</style>\n</head>\n<body>\n<h1>" + escaped_html(title) + "</h1>\n<pre>" +
      escaped_html(command) +
      "</pre>\n<p>Training was real: every worker's batches, gradients and parameters. Time is "
      "that of the simulated cluster.</p>\n";
  for (const Metric metric : {Metric::perplexity, Metric::accuracy, Metric::loss}) {
    if (!has(metric)) continue;
    const Axis& y = axis_of(metric);
    const bool is_marked = target && target->metric == metric;
    for (const Axis* x : {&kSeconds, &kEpochs, &kBytes}) {
      if (metric == Metric::loss && x == &kBytes) continue;
      html += heading(*x, y) +
              plot(curves, *x, y, is_marked ? std::optional(target->value) : std::nullopt);
    }
  }
  if (has_halves) {
    for (const Axis* y : {&kDiscriminatorLoss, &kGeneratorLoss})
      html += heading(kEpochs, *y) + plot(curves, kEpochs, *y, {});
  }
  return html + "</body>\n</html>\n";
}

}  // namespace epochcast
