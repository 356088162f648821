// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_validation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analysis/validate/validation_text.hpp"
#include "cli/show/table.hpp"
#include "core/units.hpp"

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
    "each run has a\n"
    "forecast from what was measured around it, and this is the median. Compute, exchange "
    "(communication that is not hidden)\n"
    "and blocked (waiting for other workers): forecast - measured, in % of the measured epoch. "
    "Inside: whether the measured\n"
    "median is in the forecast's 5 - 95 % interval, and how many single runs are. KS: "
    "Kolmogorov-Smirnov distance between\n"
    "the runs and the forecast's distribution, at least 1 / (2 runs). Pairs: of a group, told "
    "apart when their least .. most\n"
    "do not overlap, and chance does not explain the difference (Welch's t-test, 95 %).\n";

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

/// With all columns.
Table empty_table() {
  Table table;
  for (const Column& column : kColumns)
    table.add_column(
        {.title = column.title, .align = column.align, .importance = column.importance});
  return table;
}

}  // namespace

void show_validation(std::ostream& out,
                     const std::vector<ValidationRow>& rows,
                     const TableLook& look) {
  const ValidationSummary summary = summarize(rows);
  for (const auto& group : by_group(rows)) {
    out << group.front()->group << "\n\n";
    Table table = empty_table();
    for (const ValidationRow* row : group) table.add_row(cells_of(*row));
    table.print_whole(out, look);
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
      << "\n\n"
      << kLegend;
}

void show_validation_markdown(std::ostream& out, const std::vector<ValidationRow>& rows) {
  const ValidationSummary summary = summarize(rows);
  for (const auto& group : by_group(rows)) {
    out << "### " << markdown(group.front()->group) << "\n\n";
    Table table = empty_table();
    std::vector<std::string> notes;
    if (const GroupRanking* ranking = ranking_of(summary, group.front()->group)) {
      notes.push_back("Ranking: " + ranking_text(*ranking));
    }
    for (const ValidationRow* row : group) {
      std::vector<std::string> cells = cells_of(*row);
      cells[0] = markdown(cells[0]);
      table.add_row(std::move(cells));
      for (const std::string& failure : failures_of(*row)) {
        notes.push_back(markdown(row->point + ": failed: " + failure));
      }
    }
    table.print_markdown(out);
    out << '\n';
    for (const std::string& note : notes) out << "- " << note << '\n';
    if (!notes.empty()) out << '\n';
  }
  out << "**" << count_text(summary) << ".**\n\n- Error: " << markdown(error_text(summary))
      << "\n- Phases: " << phase_text(summary) << "\n- Ranking: " << ranking_text(summary)
      << "\n- Coverage: " << coverage_text(summary) << "\n- Spread: " << spread_text(summary)
      << "\n\n"
      << kLegend;
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
