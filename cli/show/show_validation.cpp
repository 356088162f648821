// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_validation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analysis/validate/validation_text.hpp"
#include "base/text/units.hpp"
#include "cli/show/table.hpp"

namespace epochcast {
namespace {

struct Column {
  const char* title;
  Table::Align align;
  int importance;
};

constexpr Column kColumns[] = {{"point", Table::Align::left, Table::kAlways},
                               {"forecast", Table::Align::right, 90},
                               {"5 - 95 %", Table::Align::right, 70},
                               {"measured", Table::Align::right, 90},
                               {"least .. most", Table::Align::right, 60},
                               {"runs", Table::Align::right, 20},
                               {"error", Table::Align::right, Table::kAlways},
                               {"compute", Table::Align::right, 40},
                               {"exchange", Table::Align::right, 40},
                               {"blocked", Table::Align::right, 40},
                               {"inside", Table::Align::left, 80},
                               {"KS", Table::Align::right, 10}};

constexpr const char* kLegend =
    "Times are seconds per epoch, measured ones medians over runs. Error: forecast / measured - 1; "
    "the forecast was made\n"
    "before the runs. Compute, exchange (communication that is not hidden) and blocked (waiting "
    "for "
    "other workers):\n"
    "forecast - measured, in % of the measured epoch. Inside: whether the measured median is in "
    "the "
    "forecast's 5 - 95 %\n"
    "interval, and how many single runs are. KS: Kolmogorov-Smirnov distance between the runs and "
    "the forecast's distribution,\n"
    "at least 1 / (2 runs). Pairs: of a group, distinguishable if their least .. most do not "
    "overlap, and chance does not\n"
    "explain the difference (Welch's t-test, 95 %). Tiers: forecasts of the cluster that was "
    "calibrated, and of others.\n";

/// One cell per column.
std::vector<std::string> cells_of(const ValidationRow& row) {
  std::vector<std::string> cells(std::size(kColumns), "-");
  cells[0] = row.point;
  if (row.forecast) {
    cells[1] = format_seconds(row.forecast->epoch_s);
    if (const auto& interval = row.forecast->epoch_s_interval) cells[2] = range_text(*interval);
  }
  cells[5] = std::to_string(row.measured.size());
  const auto findings = findings_of(row);
  if (!findings) return cells;
  cells[3] = format_seconds(findings->measured_s);
  cells[4] = range_text(findings->measured_spread);
  cells[6] = signed_percent_text(findings->error);
  cells[7] = signed_percent_text(findings->phase_errors.compute_s);
  cells[8] = signed_percent_text(findings->phase_errors.exposed_communication_s);
  cells[9] = signed_percent_text(findings->phase_errors.blocked_s);
  if (findings->is_inside) {
    cells[10] = std::string(*findings->is_inside ? "yes, " : "no, ") +
                std::to_string(findings->runs_inside) + "/" +
                std::to_string(findings->runs_with_interval);
  }
  cells[11] = ks_text(findings->ks);
  return cells;
}

const GroupRanking* ranking_of(const ValidationSummary& summary, const std::string& group) {
  const auto found = std::find_if(summary.rankings.begin(),
                                  summary.rankings.end(),
                                  [&](const GroupRanking& each) { return each.group == group; });
  return found == summary.rankings.end() || found->rows < 2 ? nullptr : &*found;
}

/// A text as part of a Markdown line.
std::string markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string("|\\`*_<>[]#").find(c) != std::string::npos) escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

/// The rows of a group.
Table table_of(const std::vector<const ValidationRow*>& group,
               std::string (*name)(const std::string&)) {
  Table table;
  for (const Column& column : kColumns)
    table.add_column(
        {.title = column.title, .align = column.align, .importance = column.importance});
  for (const ValidationRow* row : group) {
    std::vector<std::string> cells = cells_of(*row);
    cells.front() = name(cells.front());
    table.add_row(std::move(cells));
  }
  return table;
}

Table tier_table(const std::vector<ValidationRow>& rows) {
  Table table;
  for (const char* title : kTierTitles)
    table.add_column(
        {.title = title,
         .align = title == kTierTitles.front() ? Table::Align::left : Table::Align::right,
         .importance = Table::kAlways});
  for (const TierSummary& tier : summarize_tiers(rows)) table.add_row(tier_cells(tier));
  return table;
}

}  // namespace

void show_validation(std::ostream& out,
                     const std::vector<ValidationRow>& rows,
                     const TableLook& look) {
  const ValidationSummary summary = summarize(rows);
  for (const auto& group : by_group(rows)) {
    out << group.front()->group << "\n\n";
    table_of(group, [](const std::string& text) { return text; }).print_whole(out, look);
    const GroupRanking* ranking = ranking_of(summary, group.front()->group);
    if (ranking != nullptr) out << "\n  " << ranking_text(*ranking) << '\n';
    for (const ValidationRow* row : group) {
      for (const std::string& failure : failures_of(*row)) {
        out << "  " << row->point << ": failed: " << failure << '\n';
      }
    }
    out << '\n';
  }
  out << count_text(summary) << "\n  error:    " << error_text(summary)
      << "\n  phases:   " << phase_text(summary) << "\n  ranking:  " << ranking_text(summary)
      << "\n  coverage: " << coverage_text(summary) << "\n  spread:   " << spread_text(summary)
      << "\n\n";
  tier_table(rows).print_whole(out, look);
  out << '\n' << kLegend;
}

void show_validation_markdown(std::ostream& out, const std::vector<ValidationRow>& rows) {
  const ValidationSummary summary = summarize(rows);
  for (const auto& group : by_group(rows)) {
    out << "### " << markdown(group.front()->group) << "\n\n";
    std::vector<std::string> notes;
    if (const GroupRanking* ranking = ranking_of(summary, group.front()->group)) {
      notes.push_back("Ranking: " + ranking_text(*ranking));
    }
    for (const ValidationRow* row : group) {
      for (const std::string& failure : failures_of(*row)) {
        notes.push_back(markdown(row->point + ": failed: " + failure));
      }
    }
    table_of(group, markdown).print_markdown(out);
    out << '\n';
    for (const std::string& note : notes) out << "- " << note << '\n';
    if (!notes.empty()) out << '\n';
  }
  out << "**" << count_text(summary) << ".**\n\n- Error: " << markdown(error_text(summary))
      << "\n- Phases: " << phase_text(summary) << "\n- Ranking: " << ranking_text(summary)
      << "\n- Coverage: " << coverage_text(summary) << "\n- Spread: " << spread_text(summary)
      << "\n\n";
  tier_table(rows).print_markdown(out);
  out << '\n' << kLegend;
}

void show_validation_json(std::ostream& out,
                          const std::vector<ValidationRow>& rows,
                          const std::string& command,
                          const std::string& date) {
  // The command line may be invalid UTF-8.
  out << to_json(rows, command, date)
             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
      << '\n';
}

}  // namespace epochcast
