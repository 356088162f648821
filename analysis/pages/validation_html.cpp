// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analysis/pages/escaped_html.hpp"
#include "analysis/pages/page.hpp"
#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_text.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

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

/// A cell that sorts by `value`, in SI units.
std::string number_cell(double value, const std::string& text, const std::string& range = {}) {
  return element("td data-value=\"" + Json(value).dump() + "\"",
                 escaped_html(text) +
                     (range.empty() ? "" : element("span class=\"range\"", escaped_html(range))));
}

std::string runs_text(std::size_t runs) {
  return std::to_string(runs) + (runs == 1 ? " run" : " runs");
}

std::string cells_of(const ValidationRow& row) {
  const std::string name = element("th scope=\"row\" class=\"left\"", escaped_html(row.point));
  const std::string forecast =
      !row.forecast
          ? element("td", "-")
          : number_cell(row.forecast->epoch_s,
                        format_seconds(row.forecast->epoch_s),
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
  std::string cells =
      name + forecast +
      number_cell(findings->measured_s,
                  format_seconds(findings->measured_s),
                  range_text(findings->measured_spread) + ", " + runs_text(row.measured.size()));
  for (const double error : {findings->error,
                             findings->phase_errors.compute_s,
                             findings->phase_errors.exposed_communication_s,
                             findings->phase_errors.blocked_s}) {
    cells += number_cell(error, signed_percent_text(error));
  }
  if (!findings->is_inside) return cells + element("td", "-");
  return cells +
         number_cell(*findings->is_inside ? 1 : 0,
                     *findings->is_inside ? "yes" : "no",
                     std::to_string(findings->runs_inside) + " of " +
                         runs_text(findings->runs_with_interval) + ", KS " + ks_text(findings->ks));
}

std::string tier_table(const std::vector<ValidationRow>& rows) {
  std::string html =
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"tiers\">"
      "<table>\n<thead><tr>";
  for (const char* title : kTierTitles) {
    const bool is_first = html.ends_with("<tr>");
    html += element(is_first ? "th scope=\"col\" class=\"left\"" : "th scope=\"col\"", title);
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const TierSummary& tier : summarize_tiers(rows)) {
    std::string cells;
    for (const std::string& cell : tier_cells(tier))
      cells +=
          element(cells.empty() ? "th scope=\"row\" class=\"left\"" : "td", escaped_html(cell));
    html += element("tr", cells) + "\n";
  }
  return html + "</tbody></table></div>\n";
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

Json range_of(const std::optional<Interval>& range) {
  return range ? Json{range->low_s, range->high_s} : Json();
}

/// Forecast over measured seconds of an epoch: a series for each group.
Json forecast_plot(const std::vector<ValidationRow>& rows) {
  Json all = Json::array();
  for (const auto& group : by_group(rows)) {
    Json series = {{"name", group.front()->group}, {"has_line", false}, {"points", Json::array()}};
    for (const ValidationRow* row : group) {
      const auto findings = findings_of(*row);
      if (!findings) continue;
      series["points"].push_back({{"x", findings->measured_s},
                                  {"y", row->forecast->epoch_s},
                                  {"x_range", range_of(findings->measured_spread)},
                                  {"y_range", range_of(row->forecast->epoch_s_interval)},
                                  {"name", row->point},
                                  {"more",
                                   "error " + signed_percent_text(findings->error) + ", " +
                                       runs_text(row->measured.size())}});
    }
    if (!series["points"].empty()) all.push_back(std::move(series));
  }
  return {{"heading", "Forecast against measured"},
          {"text",
           "Seconds per epoch. Above the line, the forecast is too slow; below, too fast. Upright "
           "whiskers: 5 to 95 % of the forecast; level ones: the least to the most of the runs."},
          {"x", {{"title", "measured (median of the runs)"}, {"unit", "seconds"}}},
          {"y", {{"title", "forecast"}, {"unit", "seconds"}}},
          {"has_diagonal", true},
          {"series", std::move(all)}};
}

Json phase_bar(const std::string& name, const PhaseTimes& phases, Json interval) {
  return {{"name", name},
          {"compute_s", phases.compute_s},
          {"exposed_communication_s", phases.exposed_communication_s},
          {"blocked_s", phases.blocked_s},
          {"interval", std::move(interval)}};
}

/// For each configuration a bar of the forecast, and one of the measurement.
Json phase_plot(const std::vector<ValidationRow>& rows) {
  Json groups = Json::array();
  for (const auto& group : by_group(rows)) {
    Json bars = Json::array();
    for (const ValidationRow* row : group) {
      const auto findings = findings_of(*row);
      if (!findings) continue;
      bars.push_back(
          {{"name", row->point},
           {"bars",
            {phase_bar(
                 "forecast", row->forecast->phases, range_of(row->forecast->epoch_s_interval)),
             phase_bar(
                 "measured", findings->measured_phases, range_of(findings->measured_spread))}}});
    }
    if (!bars.empty()) groups.push_back({{"name", group.front()->group}, {"rows", bars}});
  }
  return {{"heading", "Where the time goes"},
          {"text",
           "Of each pair of bars, the upper one is the forecast, the lower one was measured: "
           "computing, exchanging (communication that nothing hides), and being blocked (waiting "
           "for other workers)."},
          {"axis", "time of an epoch"},
          {"remarks", {"whiskers: 5 to 95 % of the forecast, least to most of the runs"}},
          {"groups", std::move(groups)}};
}

constexpr const char* kAboutTable =
    "Forecasts with their 5 - 95 % interval, measured medians with the least and the most of the "
    "runs. Error: forecast / measured - 1; the forecast was made before the runs. Phases: forecast "
    "less measured, in % of the "
    "measured epoch. Inside: whether the measured median is in the interval, how many single runs "
    "are, and how far the runs are from the forecast's distribution (Kolmogorov-Smirnov distance, "
    "at least 1 / (2 runs)). Pairs are distinguishable if their measured ranges do not overlap, and "
    "chance does not explain the difference. Press a heading to sort the rows of each group.";

}  // namespace

std::string to_html(const std::vector<ValidationRow>& rows,
                    const std::string& title,
                    const std::string& command,
                    const std::string& date) {
  const ValidationSummary summary = summarize(rows);
  std::string html = headline(summary) + tier_table(rows);
  if (!date.empty())
    html += element("p class=\"muted\"", "Measured on " + escaped_html(date)) + "\n";
  std::vector<PageView> views;
  if (summary.configurations > 0) {
    views.push_back({.name = "plots", .data = Json::array({forecast_plot(rows)})});
    views.push_back({.name = "phases", .data = phase_plot(rows)});
  } else {
    html += element("p", "No configuration has both a forecast and a measurement.") + "\n";
  }
  const std::string below = element("h2", "All configurations") + "\n" +
                            element("p", escaped_html(kAboutTable)) + "\n" + table(rows, summary);
  return page_html(title, command, html, views, below);
}

}  // namespace epochcast
