// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/calibration_html.hpp"

#include <algorithm>

#include "analysis/pages/svg.hpp"
#include "analysis/pages/validation_plots.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

constexpr double kLeft = 84;
constexpr double kTop = 14;
constexpr double kSide = 420;
constexpr double kLegend = kLeft + kSide + 28;
constexpr double kWidth = kLegend + 260;
constexpr double kHeight = kTop + kSide + 56;

/// Measured points of one kind, and optionally what a fit says at each.
struct Series {
  std::string name;
  std::vector<FitPoint> points;  ///< `bytes` is the abscissa
  bool has_line = false;
};

using Text = std::string (*)(double);

std::string grid(const LogAxis& x, const LogAxis& y, Text x_text, Text y_text) {
  std::string svg;
  for (const double value : x.ticks(70)) {
    svg +=
        svg_line(x.at(value), kTop, x.at(value), kTop + kSide, "class=\"grid\"") +
        svg_text(
            x.at(value), kTop + kSide + 18, x_text(value), "class=\"tick\" text-anchor=\"middle\"");
  }
  for (const double value : y.ticks(34)) {
    svg +=
        svg_line(kLeft, y.at(value), kLeft + kSide, y.at(value), "class=\"grid\"") +
        svg_text(kLeft - 8, y.at(value) + 4, y_text(value), "class=\"tick\" text-anchor=\"end\"");
  }
  return svg + svg_rect(kLeft, kTop, kSide, kSide, "class=\"frame\"");
}

/// Measured seconds of each series over its abscissa; `diagonal`: where both are equal.
std::string plot(const std::vector<Series>& all,
                 const std::string& name,
                 Text x_text,
                 const std::string& x_title,
                 const std::string& y_title,
                 bool has_diagonal) {
  std::vector<double> x_values;
  std::vector<double> y_values;
  for (const Series& series : all) {
    for (const FitPoint& point : series.points) {
      x_values.push_back(point.bytes);
      y_values.push_back(point.measured_s);
      if (series.has_line) y_values.push_back(point.fitted_s);
    }
  }
  if (x_values.empty()) return {};
  if (has_diagonal) {
    x_values.insert(x_values.end(), y_values.begin(), y_values.end());
    y_values = x_values;
  }
  const LogAxis x(x_values, kLeft, kLeft + kSide);
  const LogAxis y(y_values, kTop + kSide, kTop);
  std::string svg = "<svg class=\"plot\" viewBox=\"0 0 " + px(kWidth) + " " + px(kHeight) +
                    "\" role=\"img\"><title>" + escaped_html(name) + "</title>" +
                    grid(x, y, x_text, format_seconds);
  if (has_diagonal) svg += svg_line(kLeft, kTop + kSide, kLeft + kSide, kTop, "class=\"diagonal\"");
  for (std::size_t style = 0; style < all.size(); ++style) {
    const Series& series = all[style];
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const FitPoint& point = series.points[i];
      if (series.has_line && i > 0) {
        const FitPoint& before = series.points[i - 1];
        svg += "<g class=\"" + colour_class(style) + "\">" +
               svg_line(x.at(before.bytes),
                        y.at(before.fitted_s),
                        x.at(point.bytes),
                        y.at(point.fitted_s),
                        "class=\"bar\"") +
               "</g>";
      }
      svg += "<g class=\"point " + colour_class(style) + "\"><title>" +
             escaped_html(series.name + ", " + x_text(point.bytes) + ": " +
                          format_seconds(point.measured_s)) +
             "</title>" + svg_marker(style, x.at(point.bytes), y.at(point.measured_s)) + "</g>";
    }
    const double line = kTop + 14 + 22 * static_cast<double>(style);
    svg += "<g class=\"" + colour_class(style) + "\">" + svg_marker(style, kLegend, line - 4) +
           "</g>" + svg_text(kLegend + 14, line, series.name, "");
  }
  svg += svg_text(kLeft + kSide / 2, kHeight - 14, x_title, "text-anchor=\"middle\"") +
         svg_text(kLegend, kTop + kSide, y_title, "");
  return svg + "</svg>\n";
}

std::string scope_plot(const ScopeFit& fit, const std::string& name) {
  std::vector<Series> all;
  if (!fit.ping_pong.empty()) all.push_back({"one message, and its fit", fit.ping_pong, true});
  if (!fit.ring_step.empty())
    all.push_back({"all ranks send and receive, fit", fit.ring_step, true});
  return plot(all, name, format_bytes, "size of a message", "vertical: time", false);
}

std::string check_plot(const std::vector<AllReduceCheck>& checks) {
  std::vector<Series> all;
  for (const AllReduceCheck& check : checks) {
    const std::string name = check.all_reduce.algorithm + " among " + check.all_reduce.scope +
                             (check.is_fitted ? ", fitted" : "");
    auto series =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    if (series == all.end()) series = all.insert(all.end(), {name, {}, false});
    series->points.push_back({check.measured_s, check.forecast_s, 0});
  }
  return plot(all,
              "forecast against measured all-reduces",
              format_seconds,
              "measured",
              "vertical: forecast",
              true);
}

std::string section(const std::string& heading, const std::string& text, const std::string& svg) {
  if (svg.empty()) return {};
  return "<h2>" + escaped_html(heading) + "</h2>\n<p>" + escaped_html(text) +
         "</p>\n<div class=\"wide\">" + svg + "</div>\n";
}

}  // namespace

std::string calibration_html(const NetworkFit& fit,
                             const std::vector<AllReduceCheck>& checks,
                             const std::string& title,
                             const std::string& command) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
      escaped_html(title) + "</title>\n<style>\n" + page_css() + plots_css() +
      "</style>\n</head>\n<body>\n<h1>" + escaped_html(title) + "</h1>\n<pre>" +
      escaped_html(command) + "</pre>\n";
  const std::string how =
      "Markers are measured means (stalls left out), lines the fit. Rounds of collectives are "
      "forecast with the "
      "costs of messages while all ranks send and receive.";
  const std::string shared =
      fit.backbone ? " Here large ones are as fast as a pair of opposite messages, and all share " +
                         format_bytes(fit.backbone->bytes_per_s) + "/s, which slows ring steps."
                   : "";
  if (fit.between)
    html += section("Between nodes", how + shared, scope_plot(*fit.between, "between nodes"));
  for (const FasterNodes& faster : fit.faster) {
    const std::string nodes = "between nodes " + nodes_text(faster.nodes);
    html += section("B" + nodes.substr(1) + ", whose links are faster",
                    "Messages among these, and from one to another, take as long.",
                    scope_plot(faster.fit, nodes));
  }
  if (fit.node) html += section("Inside nodes", how, scope_plot(*fit.node, "inside nodes"));
  html += section("All-reduces that the fit has not seen",
                  "On the line, the forecast is right; above, it is too slow.",
                  check_plot(checks));
  return html + "</body>\n</html>\n";
}

}  // namespace epochcast
