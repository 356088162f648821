// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/pages/svg.hpp"
#include "analysis/pages/validation_plots.hpp"
#include "analysis/validate/validation_text.hpp"

namespace epochcast {
namespace {

constexpr double kLeft = 290;
constexpr double kRight = 770;
constexpr double kWidth = 860;
constexpr double kLine = 24;
constexpr double kBar = 12;

struct Phase {
  const char* name;
  const char* fill;  ///< colour and pattern, so that either will do
  double PhaseTimes::*error;
};
constexpr Phase kPhases[] = {
    {"compute", "class=\"compute\"", &PhaseTimes::compute_s},
    {"exchange (not hidden)", "class=\"exchange\"", &PhaseTimes::exposed_communication_s},
    {"blocked", "class=\"blocked\"", &PhaseTimes::blocked_s}};

constexpr const char* kPatterns = R"svg(<defs>
<pattern id="exchange-pattern" width="6" height="6" patternUnits="userSpaceOnUse"
patternTransform="rotate(45)"><rect class="exchange-ground" width="6" height="6"/><rect
class="exchange-line" width="2" height="6"/></pattern>
<pattern id="blocked-pattern" width="5" height="5" patternUnits="userSpaceOnUse"><rect
class="blocked-ground" width="5" height="5"/><circle class="blocked-line" cx="2.5" cy="2.5"
r="1.2"/></pattern>
</defs>
)svg";

/// Shares of the measured epoch.
struct Reach {
  double low = 0;
  double high = 0;
};

/// The forecast's interval, in shares of the measured epoch: with 0 inside, the measured epoch is.
std::optional<Reach> interval_of(const ValidationRow& row, const RowFindings& findings) {
  const auto& interval = row.forecast->epoch_s_interval;
  if (!interval) return std::nullopt;
  return Reach{.low = interval->low_s / findings.measured_s - 1,
               .high = interval->high_s / findings.measured_s - 1};
}

/// What a row's bars and the mark of its error reach over.
Reach reach_of(const RowFindings& findings) {
  Reach reach;
  for (const Phase& phase : kPhases) {
    const double error = findings.phase_errors.*phase.error;
    (error < 0 ? reach.low : reach.high) += error;
  }
  return {.low = std::min(reach.low, findings.error), .high = std::max(reach.high, findings.error)};
}

/// What the axis reaches over: all rows, but for those that would make the others invisible.
/// Nothing when no row has findings.
std::optional<Reach> axis_reach(const std::vector<ValidationRow>& rows) {
  constexpr double kLeast = 0.01;
  constexpr double kMostOfMedian = 8;
  std::vector<double> lengths;
  Reach reach;
  for (const ValidationRow& row : rows) {
    const auto findings = findings_of(row);
    if (!findings) continue;
    const Reach bars = reach_of(*findings);
    const Reach interval = interval_of(row, *findings).value_or(bars);
    lengths.push_back(std::max(-bars.low, bars.high));
    reach = {.low = std::min({reach.low, bars.low, interval.low}),
             .high = std::max({reach.high, bars.high, interval.high})};
  }
  if (lengths.empty()) return std::nullopt;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const double most = std::max(kMostOfMedian * *middle, kLeast);
  const double low = std::max(reach.low, -most);
  const double high = std::min(reach.high, most);
  const double margin = std::max(0.04 * (high - low), (kLeast - (high - low)) / 2);
  return Reach{.low = low - margin, .high = high + margin};
}

class ErrorAxis {
 public:
  explicit ErrorAxis(Reach reach) : reach_(reach) {}
  [[nodiscard]] double at(double share) const {
    const double clamped = std::clamp(share, reach_.low, reach_.high);
    return kLeft + (kRight - kLeft) * (clamped - reach_.low) / (reach_.high - reach_.low);
  }
  [[nodiscard]] bool reaches(double share) const {
    return share >= reach_.low && share <= reach_.high;
  }
  [[nodiscard]] std::vector<double> ticks() const {
    return round_values(reach_.low, reach_.high, 8);
  }

 private:
  Reach reach_;
};

std::string tick_text(double share) {
  return share == 0 ? "0 %" : fmt::format("{:+.4g} %", 100 * share);
}

std::string grid(const ErrorAxis& x, double top, double bottom) {
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += svg_line(
        x.at(tick), top, x.at(tick), bottom, tick == 0 ? "class=\"zero\"" : "class=\"grid\"");
  }
  return svg;
}

std::string scale(const ErrorAxis& x, double y) {
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += svg_text(x.at(tick), y + 12, tick_text(tick), "class=\"tick\" text-anchor=\"middle\"");
  }
  return svg + svg_text((kLeft + kRight) / 2,
                        y + 34,
                        "forecast less measured, in % of the measured epoch",
                        "class=\"label\" text-anchor=\"middle\"");
}

std::string bars(const RowFindings& findings, const ErrorAxis& x, double y) {
  std::string svg;
  Reach end;
  for (const Phase& phase : kPhases) {
    const double error = findings.phase_errors.*phase.error;
    double& begin = error < 0 ? end.low : end.high;
    const double from = x.at(std::min(begin, begin + error));
    const double to = x.at(std::max(begin, begin + error));
    begin += error;
    if (to > from) svg += svg_rect(from, y - kBar / 2, to - from, kBar, phase.fill);
  }
  for (const double share :
       {std::min(end.low, findings.error), std::max(end.high, findings.error)}) {
    if (x.reaches(share)) continue;
    const double tip = x.at(share) + (share < 0 ? -7 : 7);
    svg += "<path class=\"cut\" d=\"M" + px(tip) + " " + px(y) + "L" + px(x.at(share)) + " " +
           px(y - kBar / 2) + "V" + px(y + kBar / 2) + "z\"/>\n";
  }
  if (!x.reaches(findings.error)) return svg;
  const double at = x.at(findings.error);
  return svg + svg_line(at, y - kBar / 2 - 3, at, y + kBar / 2 + 3, "class=\"epoch-error\"");
}

std::string whisker(const Reach& interval, const ErrorAxis& x, double y) {
  std::string svg;
  if (x.at(interval.low) < x.at(interval.high)) {
    svg += svg_line(x.at(interval.low), y, x.at(interval.high), y, "class=\"interval\"");
  }
  for (const double end : {interval.low, interval.high}) {
    if (x.reaches(end)) svg += svg_line(x.at(end), y - 3, x.at(end), y + 3, "class=\"interval\"");
  }
  return svg;
}

std::string description(const ValidationRow& row, const RowFindings& findings) {
  std::string text =
      row.group + ": " + row.point + "\nepoch " + signed_percent_text(findings.error);
  for (const Phase& phase : kPhases) {
    text += "\n" + std::string(phase.name) + " " +
            signed_percent_text(findings.phase_errors.*phase.error);
  }
  return text;
}

std::string legend(double y) {
  std::string svg;
  double x = 150;
  for (const Phase& phase : kPhases) {
    svg += svg_rect(x, y - 6, 18, kBar, phase.fill);
    svg += svg_text(x + 24, y + 4, phase.name, "class=\"legend\"");
    x += 46 + 7 * static_cast<double>(std::string(phase.name).size());
  }
  svg += svg_line(x + 4, y - 10, x + 4, y + 10, "class=\"epoch-error\"");
  svg += svg_text(x + 14, y + 4, "whole epoch", "class=\"legend\"");
  x += 118;
  svg += svg_line(x, y, x + 22, y, "class=\"interval\"");
  for (const double end : {x, x + 22})
    svg += svg_line(end, y - 3, end, y + 3, "class=\"interval\"");
  return svg + svg_text(x + 28, y + 4, "5 - 95 %", "class=\"legend\"");
}

std::string row_svg(const ValidationRow& row, const ErrorAxis& x, double y) {
  const auto findings = findings_of(row);
  const std::string name =
      svg_text(kLeft - 10, y + 4, shortened(row.point, 36), "class=\"name\" text-anchor=\"end\"");
  if (!findings) {
    const std::vector<std::string> failures = failures_of(row);
    return "<g><title>" + escaped_html(row.point + ": failed: " + failures.front()) + "</title>\n" +
           svg_rect(kLeft, y - kLine / 2, kRight - kLeft, kLine, "class=\"empty\"") + name +
           svg_text(
               kLeft + 6, y + 4, "failed: " + shortened(failures.front(), 64), "class=\"failed\"") +
           "</g>\n";
  }
  const auto interval = interval_of(row, *findings);
  return "<g class=\"point\"><title>" + escaped_html(description(row, *findings)) + "</title>\n" +
         svg_rect(kLeft, y - kLine / 2, kRight - kLeft, kLine, "class=\"hover\"") + name +
         bars(*findings, x, y - 3) + (interval ? whisker(*interval, x, y + 8) : "") +
         svg_text(kWidth - 4,
                  y + 4,
                  signed_percent_text(findings->error),
                  "class=\"name\" text-anchor=\"end\"") +
         "</g>\n";
}

}  // namespace

std::string phase_plot(const std::vector<ValidationRow>& rows) {
  const auto reach = axis_reach(rows);
  if (!reach) return {};
  const ErrorAxis x(*reach);
  constexpr double kTop = 36;
  double y = kTop;
  std::string body;
  for (const auto& group : by_group(rows)) {
    body += svg_text(4, y + 17, shortened(group.front()->group, 118), "class=\"group\"");
    y += kLine;
    body += grid(x, y, y + kLine * static_cast<double>(group.size()));
    for (const ValidationRow* row : group) {
      body += row_svg(*row, x, y + kLine / 2);
      y += kLine;
    }
    y += 6;
  }
  return "<svg class=\"plot\" role=\"img\" aria-labelledby=\"phase-title phase-desc\" "
         "viewBox=\"0 0 " +
         px(kWidth) + " " + px(y + 44) +
         "\">\n<title id=\"phase-title\">Errors by phase</title>\n<desc id=\"phase-desc\">A bar "
         "for "
         "each configuration, of what the forecast of each phase adds to or takes from the "
         "measured epoch. The table below has the same numbers.</desc>\n" +
         kPatterns + legend(16) + body + scale(x, y) + "</svg>\n";
}

}  // namespace epochcast
