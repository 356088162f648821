// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/page.hpp"
#include "analysis/pages/svg.hpp"
#include "analysis/pages/validation_plots.hpp"
#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_text.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

std::string element(const std::string& tag, const std::string& markup) {
  return "<" + tag + ">" + markup + "</" + tag.substr(0, tag.find(' ')) + ">";
}

std::string card(const std::string& term, const std::string& value, const std::string& detail) {
  return "<div>" + element("dt", escaped_html(term)) + "<dd>" + escaped_html(value) +
         (detail.empty() ? "" : element("small", escaped_html(detail))) + "</dd></div>\n";
}

std::string headline(const ValidationSummary& summary) {
  const bool has_errors = summary.configurations > 0;
  const std::string pairs = pairs_text(summary);
  return "<dl>\n" +
         card("configurations",
              std::to_string(summary.configurations + summary.failed),
              std::to_string(summary.failed) + " of them failed") +
         card("median error",
              has_errors ? percent_text(summary.median_error) : "-",
              has_errors ? "of the epoch; 95 % within " + percent_text(summary.p95_error) : "") +
         card("error of a phase",
              has_errors ? percent_text(summary.p90_phase_error) : "-",
              "of the epoch at most, in 90 % of the configurations") +
         card("worst error", has_errors ? percent_text(summary.worst_error) : "-", summary.worst) +
         card("ranking, Kendall's tau-b",
              tau_text(summary.tau),
              pairs == "-" ? "no group has two rows" : pairs) +
         card("inside the interval",
              summary.coverage ? percent_text(*summary.coverage) : "-",
              summary.run_coverage
                  ? "of the measured medians; " + percent_text(*summary.run_coverage) + " of " +
                        std::to_string(summary.runs) + " single runs"
                  : "") +
         card("Kolmogorov-Smirnov distance",
              ks_text(summary.ks),
              "of single runs from their forecasts") +
         "</dl>\n";
}

std::string with_range(const std::string& value, const std::string& range) {
  return element("td", escaped_html(value) + element("span class=\"range\"", escaped_html(range)));
}

std::string cells_of(const ValidationRow& row) {
  const std::string name = element("th scope=\"row\" class=\"left\"", escaped_html(row.point));
  const std::string forecast =
      !row.forecast
          ? element("td", "-")
          : with_range(format_seconds(row.forecast->epoch_s),
                       row.forecast->epoch_s_interval ? range_text(*row.forecast->epoch_s_interval)
                                                      : "no interval");
  const auto findings = findings_of(row);
  if (!findings) {
    std::string reasons;
    for (const std::string& failure : failures_of(row)) {
      reasons += (reasons.empty() ? "failed: " : "; ") + failure;
    }
    return name + forecast + element("td colspan=\"6\" class=\"left\"", escaped_html(reasons));
  }
  const std::size_t runs = row.measured.size();
  std::string cells = name + forecast +
                      with_range(format_seconds(findings->measured_s),
                                 range_text(findings->measured_spread) + ", " +
                                     std::to_string(runs) + (runs == 1 ? " run" : " runs"));
  for (const double error : {findings->error,
                             findings->phase_errors.compute_s,
                             findings->phase_errors.exposed_communication_s,
                             findings->phase_errors.blocked_s}) {
    cells += element("td", escaped_html(signed_percent_text(error)));
  }
  if (!findings->is_inside) return cells + element("td", "-");
  return cells + with_range(*findings->is_inside ? "yes" : "no",
                            std::to_string(findings->runs_inside) + " of " +
                                std::to_string(findings->runs_with_interval) +
                                (findings->runs_with_interval == 1 ? " run" : " runs") + ", KS " +
                                ks_text(findings->ks));
}

std::string table(const std::vector<ValidationRow>& rows, const ValidationSummary& summary) {
  std::string html =
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"all configurations\">"
      "<table class=\"sortable\">\n<thead><tr>";
  html += element("th scope=\"col\" class=\"left\"", "point");
  for (const char* title :
       {"forecast", "measured", "error", "compute", "exchange", "blocked", "inside"}) {
    html += element("th scope=\"col\"", title);
  }
  html += "</tr></thead>\n";
  for (const auto& group : by_group(rows)) {
    const std::string& name = group.front()->group;
    std::string heading = escaped_html(name);
    for (const GroupRanking& ranking : summary.rankings) {
      if (ranking.group != name || ranking.rows < 2) continue;
      heading += "<br>" + element("span", escaped_html(ranking_text(ranking)));
    }
    html += "<tbody>\n<tr>" +
            element("th scope=\"rowgroup\" colspan=\"8\" class=\"group\"", heading) + "</tr>\n";
    for (const ValidationRow* row : group) html += element("tr", cells_of(*row)) + "\n";
    html += "</tbody>\n";
  }
  return html + "</table></div>\n";
}

std::string section(const std::string& heading, const std::string& text, const std::string& body) {
  return element("h2", escaped_html(heading)) + "\n" + element("p", escaped_html(text)) + "\n" +
         (body.empty()
              ? element("p", "No configuration has both a forecast and a measurement.") + "\n"
              : "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"" +
                    escaped_html(heading) + "\">" + body + "</div>\n");
}

}  // namespace

std::string to_html(const std::vector<ValidationRow>& rows,
                    const std::string& title,
                    const std::string& command,
                    const std::string& date) {
  const ValidationSummary summary = summarize(rows);
  std::string html = headline(summary);
  if (!date.empty())
    html += element("p class=\"muted\"", "Measured on " + escaped_html(date)) + "\n";
  html += section("Forecast against measured",
                  "Seconds per epoch. Above the line, the forecast is too slow; below, too fast.",
                  forecast_plot(rows));
  html += section("Where the error comes from",
                  "What each phase adds to or takes from the epoch: computing, exchanging "
                  "(communication that nothing hides), and being blocked (waiting for other "
                  "workers). The line below a bar is the forecast's interval. An arrow: it goes on "
                  "beyond the axis.",
                  phase_plot(rows));
  html += element("h2", "All configurations") + "\n" +
          element("p",
                  "Forecasts with their 5 - 95 % interval, measured medians with the least and the "
                  "most of the runs. Error: forecast / measured - 1; where runs train, each has a "
                  "forecast from what was measured around it, and this is the median. Phases: "
                  "forecast less "
                  "measured, in % of the measured epoch. Inside: whether the measured median is "
                  "in the interval, how many single runs are, and how far the runs are from the "
                  "forecast's distribution (Kolmogorov-Smirnov distance, at least 1 / (2 runs)). "
                  "Pairs are told apart when their measured ranges do not "
                  "overlap.") +
          "\n" + table(rows, summary);
  return page_html(title, command, html);
}

}  // namespace epochcast
