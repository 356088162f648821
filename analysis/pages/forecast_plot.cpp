// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/pages/svg.hpp"
#include "analysis/pages/validation_plots.hpp"
#include "analysis/validate/validation_text.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

constexpr double kLeft = 84;
constexpr double kTop = 14;
constexpr double kSide = 480;
constexpr double kBottom = kTop + kSide;
constexpr double kLegend = kLeft + kSide + 28;
constexpr double kWidth = kLegend + 210;
constexpr double kLine = 22;

struct Point {
  const ValidationRow* row;
  RowFindings findings;
};

std::vector<Point> points_of(const std::vector<ValidationRow>& rows) {
  std::vector<Point> points;
  for (const ValidationRow& row : rows) {
    if (const auto findings = findings_of(row)) points.push_back({&row, *findings});
  }
  return points;
}

std::vector<std::string> strategies_of(const std::vector<Point>& points) {
  std::vector<std::string> strategies;
  for (const Point& point : points) {
    const std::string strategy = strategy_of(*point.row);
    if (std::find(strategies.begin(), strategies.end(), strategy) == strategies.end()) {
      strategies.push_back(strategy);
    }
  }
  return strategies;
}

std::vector<double> values_of(const std::vector<Point>& points) {
  std::vector<double> values;
  for (const Point& point : points) {
    values.insert(values.end(),
                  {point.row->forecast->epoch_s,
                   point.findings.measured_spread.low_s,
                   point.findings.measured_spread.high_s});
    if (const auto& interval = point.row->forecast->epoch_s_interval) {
      values.insert(values.end(), {interval->low_s, interval->high_s});
    }
  }
  return values;
}

/// "0.2 s" is "200 ms", but never "3.33 min": ticks are round in seconds.
std::string tick_text(double seconds) {
  const bool is_small = seconds < 0.9995;
  const bool is_tiny = seconds < 0.9995e-3;
  return is_tiny    ? fmt::format("{:.6g} us", seconds * 1e6)
         : is_small ? fmt::format("{:.6g} ms", seconds * 1e3)
                    : fmt::format("{:.6g} s", seconds);
}

/// Where forecasts are within `share` of the measured time. Straight, as both axes are logarithmic;
/// the part beyond the frame is clipped.
std::string band(const LogAxis& x, double share, const std::string& attributes) {
  const double pixels = kSide / std::log(x.high() / x.low());
  const double above = pixels * std::log(1 + share);
  const double below = -pixels * std::log(1 - share);
  const double right = kLeft + kSide;
  return "<polygon clip-path=\"url(#frame)\" " + attributes + " points=\"" + px(kLeft) + "," +
         px(kBottom - above) + " " + px(right) + "," + px(kTop - above) + " " + px(right) + "," +
         px(kTop + below) + " " + px(kLeft) + "," + px(kBottom + below) + "\"/>\n";
}

std::string axes(const LogAxis& x, const LogAxis& y) {
  std::string svg;
  for (const double tick : x.ticks(58)) {
    svg += svg_line(x.at(tick), kTop, x.at(tick), kBottom, "class=\"grid\"");
    svg += svg_text(
        x.at(tick), kBottom + 18, tick_text(tick), "class=\"tick\" text-anchor=\"middle\"");
    svg += svg_line(kLeft, y.at(tick), kLeft + kSide, y.at(tick), "class=\"grid\"");
    svg +=
        svg_text(kLeft - 8, y.at(tick) + 4, tick_text(tick), "class=\"tick\" text-anchor=\"end\"");
  }
  svg += svg_text(kLeft + kSide / 2,
                  kBottom + 42,
                  "measured time of an epoch (median of the runs)",
                  "class=\"label\" text-anchor=\"middle\"");
  const std::string middle = px(kTop + kSide / 2);
  svg += svg_text(
      20,
      kTop + kSide / 2,
      "forecast time of an epoch",
      "class=\"label\" text-anchor=\"middle\" transform=\"rotate(-90 20 " + middle + ")\"");
  return svg;
}

std::string description(const Point& point) {
  const RunResult& forecast = *point.row->forecast;
  std::string text =
      point.row->group + ": " + point.row->point + "\nforecast " + format_seconds(forecast.epoch_s);
  if (forecast.epoch_s_interval) text += " (" + range_text(*forecast.epoch_s_interval) + ")";
  text += "\nmeasured " + format_seconds(point.findings.measured_s) + " (" +
          range_text(point.findings.measured_spread) + ", " +
          std::to_string(point.row->measured.size()) +
          (point.row->measured.size() == 1 ? " run" : " runs") + ")\nerror " +
          signed_percent_text(point.findings.error);
  return text;
}

std::string mark(const Point& point, std::size_t style, const LogAxis& x, const LogAxis& y) {
  const double at_x = x.at(point.findings.measured_s);
  const double at_y = y.at(point.row->forecast->epoch_s);
  const std::string bar = "class=\"bar c" + std::to_string(style % 7) + "\"";
  std::string svg = "<g class=\"point\"><title>" + escaped_html(description(point)) + "</title>\n";
  if (const auto& interval = point.row->forecast->epoch_s_interval) {
    svg += svg_line(at_x, y.at(interval->low_s), at_x, y.at(interval->high_s), bar);
  }
  const Interval& spread = point.findings.measured_spread;
  svg += svg_line(x.at(spread.low_s), at_y, x.at(spread.high_s), at_y, bar);
  return svg + svg_marker(style, at_x, at_y) + "</g>\n";
}

std::string legend(const std::vector<std::string>& strategies) {
  std::string svg;
  double y = kTop + 8;
  const auto next = [&](const std::string& sample, const std::string& text) {
    svg += sample + svg_text(kLegend + 30, y + 4, text, "class=\"legend\"");
    y += kLine;
  };
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    next(svg_marker(i, kLegend + 11, y), shortened(strategies[i], 24));
  }
  y += kLine / 2;
  next(svg_line(kLegend, y, kLegend + 22, y, "class=\"diagonal\""), "forecast = measured");
  next(svg_rect(kLegend, y - 6, 22, 12, "class=\"band3\""), "within 3 %");
  next(svg_rect(kLegend, y - 6, 22, 12, "class=\"band8\""), "within 8 %");
  next(svg_line(kLegend + 11, y - 8, kLegend + 11, y + 8, "class=\"bar legend-bar\""),
       "5 - 95 % of the forecast");
  next(svg_line(kLegend, y, kLegend + 22, y, "class=\"bar legend-bar\""), "least - most measured");
  return svg;
}

}  // namespace

std::string forecast_plot(const std::vector<ValidationRow>& rows) {
  const std::vector<Point> points = points_of(rows);
  if (points.empty()) return {};
  const std::vector<std::string> strategies = strategies_of(points);
  const LogAxis x(values_of(points), kLeft, kLeft + kSide);
  const LogAxis y(values_of(points), kBottom, kTop);
  const double height =
      std::max(kBottom + 54, kTop + kLine * (static_cast<double>(strategies.size()) + 6.5));
  std::string svg =
      "<svg class=\"plot\" role=\"img\" aria-labelledby=\"forecast-title forecast-desc\" "
      "viewBox=\"0 "
      "0 " +
      px(kWidth) + " " + px(height) +
      "\">\n<title id=\"forecast-title\">Forecast against measured time of an epoch</title>\n"
      "<desc id=\"forecast-desc\">" +
      std::to_string(points.size()) + (points.size() == 1 ? " configuration" : " configurations") +
      " on logarithmic axes from " + escaped_html(tick_text(x.low())) + " to " +
      escaped_html(tick_text(x.high())) +
      "; a marker's shape and colour say its strategy. The table below has the same "
      "numbers.</desc>\n<clipPath id=\"frame\">" +
      svg_rect(kLeft, kTop, kSide, kSide, "") + "</clipPath>\n";
  svg += svg_rect(kLeft, kTop, kSide, kSide, "class=\"frame\"");
  svg += band(x, 0.08, "class=\"band8\"") + band(x, 0.03, "class=\"band3\"") + axes(x, y);
  svg += svg_line(kLeft, kBottom, kLeft + kSide, kTop, "class=\"diagonal\"");
  for (const Point& point : points) {
    const auto strategy = std::find(strategies.begin(), strategies.end(), strategy_of(*point.row));
    svg += mark(point, static_cast<std::size_t>(strategy - strategies.begin()), x, y);
  }
  return svg + legend(strategies) + "</svg>\n";
}

}  // namespace epochcast
