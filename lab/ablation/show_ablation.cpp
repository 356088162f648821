// SPDX-License-Identifier: Apache-2.0
#include "lab/ablation/show_ablation.hpp"

#include <ostream>
#include <string>

#include "analysis/validate/validation_text.hpp"
#include "cli/show/table.hpp"

namespace epochcast {
namespace {

constexpr const char* kAblationLegend =
    "Each forecast was made again from its validation's measurements, without one mechanism at a "
    "time: the assumption of\n"
    "the forecasts without it is in the last column. Rows: those whose forecast is more than 0.1 % "
    "another one; their median and worst\n"
    "error with the mechanism and without it, and those of all rows without it. Wrong pairs: "
    "distinguishable pairs of a group\n"
    "that are forecast in the wrong order. Inside: single runs inside their "
    "forecast's 5 - 95 % interval.\n";

std::string change_text(double with, double without) {
  return percent_text(with) + " -> " + percent_text(without);
}

/// Of all rows.
std::vector<std::string> summary_cells(const ValidationSummary& summary) {
  const bool has_errors = summary.configurations > 0;
  return {has_errors ? percent_text(summary.median_error) : "-",
          has_errors ? percent_text(summary.worst_error) : "-",
          std::to_string(summary.wrong_pairs()) + " of " + std::to_string(summary.pairs()),
          summary.run_coverage ? percent_text(*summary.run_coverage) : "-"};
}

Table table_of(const Ablation& ablation) {
  Table table;
  using enum Table::Align;
  table.add_column({.title = "left out", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "rows", .align = right, .importance = 60});
  table.add_column({.title = "their median", .align = right, .importance = 90});
  table.add_column({.title = "their worst", .align = right, .importance = 50});
  table.add_column({.title = "all: median", .align = right, .importance = 80});
  table.add_column({.title = "worst", .align = right, .importance = 40});
  table.add_column({.title = "wrong pairs", .align = right, .importance = 70});
  table.add_column({.title = "inside", .align = right, .importance = 30});
  table.add_column({.title = "then", .align = left, .importance = 20});
  const auto add_row =
      [&](std::vector<std::string> cells, const ValidationSummary& all, const std::string& then) {
        for (std::string& cell : summary_cells(all)) cells.push_back(std::move(cell));
        cells.push_back(then);
        table.add_row(std::move(cells));
      };
  add_row({"nothing", "-", "-", "-"}, ablation.with_all(), "");
  for (const LeftOutFindings& each : ablation.left_out()) {
    const ValidationSummary& with = each.concerned_with;
    const ValidationSummary& without = each.concerned_without;
    const bool has_both = with.configurations > 0 && without.configurations > 0;
    add_row({each.name,
             std::to_string(each.concerned.size()),
             has_both ? change_text(with.median_error, without.median_error) : "-",
             has_both ? change_text(with.worst_error, without.worst_error) : "-"},
            each.all,
            each.without);
  }
  return table;
}

void show_notes(std::ostream& out, const Ablation& ablation) {
  out << '\n' << count_text(ablation.with_all()) << ".\n";
  for (const LeftOutFindings& each : ablation.left_out()) {
    if (each.all.failed > ablation.with_all().failed)
      out << "Without " << each.name << ", " << each.all.failed << " have no forecast.\n";
  }
  out << kAblationLegend;
}

}  // namespace

void show_ablation(std::ostream& out, const Ablation& ablation, const TableLook& look) {
  table_of(ablation).print_whole(out, look);
  show_notes(out, ablation);
}

void show_ablation_markdown(std::ostream& out, const Ablation& ablation) {
  table_of(ablation).print_markdown(out);
  show_notes(out, ablation);
}

}  // namespace epochcast
