// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "base/text/units.hpp"
#include "cli/show/csv_row.hpp"
#include "cli/show/remarks.hpp"
#include "cli/show/table.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/learning.hpp"

namespace epochcast {
namespace {

/// "+3.2 %"; no sign if it rounds to zero.
std::string percent_more(const std::optional<double>& change) {
  constexpr double kLeastShown = 5e-4;
  if (!change) return "-";
  return std::abs(*change) < kLeastShown ? "0.0 %" : fmt::format("{:+.1f} %", 100 * *change);
}

/// "+1.23 s", of a phase in runs of this time.
std::string seconds_more(double seconds, double time_s) {
  if (std::abs(seconds) < kRoundingOfTimes * time_s) return format_seconds(0);
  return (seconds > 0 ? "+" : "") + format_seconds(seconds);
}

/// A figure of a platform file for display: "1.12 TB/s", not "1.117e+06MBps". Texts with units,
/// such as "32GiB", stay as they are.
std::string figure_text(const std::string& text) {
  if (const auto rate = parse_quantity(text, Dimension::bytes_per_s))
    return format_bytes(*rate) + "/s";
  if (const auto time = parse_quantity(text, Dimension::seconds)) return format_seconds(*time);
  const auto size = parse_quantity(text, Dimension::bytes);
  return size && !text.ends_with("iB") ? format_bytes(*size) : text;
}

/// The same difference for display; unchanged if rounding would hide it.
InputDifference for_people(InputDifference figure) {
  const std::string a = figure_text(figure.a);
  const std::string b = figure_text(figure.b);
  if (a == b) return figure;
  figure.a = a;
  figure.b = b;
  return figure;
}

/// Whether any pair has such a figure in both runs.
bool has_figure(const Comparison& comparison,
                std::optional<double> (ComparedPair::*change)() const) {
  return std::any_of(comparison.pairs.begin(),
                     comparison.pairs.end(),
                     [&](const ComparedPair& pair) { return (pair.*change)().has_value(); });
}

void show_pairs(std::ostream& out, const Comparison& comparison, const TableLook& look) {
  const bool has_cost = has_figure(comparison, &ComparedPair::costlier);
  const bool has_energy = has_figure(comparison, &ComparedPair::more_energy);
  Table table;
  using enum Table::Align;
  table.add_column({.title = "run", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "A", .align = right, .importance = 80});
  table.add_column({.title = "B", .align = right, .importance = 80});
  table.add_column({.title = "time", .align = right, .importance = Table::kAlways});
  for (const char* title : {"compute", "exchange", "blocked"})
    table.add_column({.title = title, .align = right, .importance = 60});
  table.add_column({.title = "mostly", .align = left, .importance = 70});
  table.add_column({.title = "bytes", .align = right, .importance = 30});
  if (has_cost) table.add_column({.title = "cost", .align = right, .importance = 50});
  if (has_energy) table.add_column({.title = "energy", .align = right, .importance = 40});
  const bool is_to_target = std::ranges::any_of(comparison.pairs, &ComparedPair::is_to_target);
  bool has_equal = false;
  const ComparedPair* before = nullptr;
  for (const ComparedPair& pair : comparison.pairs) {
    if (before != nullptr && before->not_ranked.empty() && !pair.not_ranked.empty())
      table.add_heading(std::string(kNotRanked));
    before = &pair;
    const bool may_be_equal = !pair.is_significant().value_or(true);
    has_equal = has_equal || may_be_equal;
    const PhaseTimes more = pair.b.phases - pair.a.phases;
    std::vector<std::string> row = {pair.shown,
                                    format_seconds(pair.a.time_s),
                                    format_seconds(pair.b.time_s),
                                    (may_be_equal ? "~ " : "") + percent_more(pair.slower()),
                                    seconds_more(more.compute_s, pair.a.time_s),
                                    seconds_more(more.exposed_communication_s, pair.a.time_s),
                                    seconds_more(more.blocked_s, pair.a.time_s),
                                    pair.largest_part(),
                                    percent_more(pair.more_bytes())};
    if (has_cost) row.push_back(percent_more(pair.costlier()));
    if (has_energy) row.push_back(percent_more(pair.more_energy()));
    table.add_row(std::move(row));
  }
  table.print_whole(out, look);
  out << "\n  Times are for as many samples as A's data set has"
      << (is_to_target ? ", or to the target;" : ";") << " time, phases, bytes"
      << (has_cost ? ", cost" : "") << (has_energy ? ", energy" : "")
      << ": what B has more of than A.\n";
  if (has_equal) out << "  ~: each is inside the other's 5-95 % interval: not significant.\n";
}

void show_list(std::ostream& out, const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  out << '\n' << title << '\n';
  for (const std::string& name : names) out << "  " << name << '\n';
}

void show_differences(std::ostream& out,
                      const char* title,
                      const std::vector<InputDifference>& differences) {
  constexpr std::size_t kMostShown = 20;
  if (differences.empty()) return;
  out << '\n' << title << '\n';
  const auto text = [](const std::string& value) { return value.empty() ? "(none)" : value; };
  for (std::size_t i = 0; i < std::min(kMostShown, differences.size()); ++i) {
    const InputDifference& each = differences[i];
    out << "  " << each.name << ": " << text(each.a) << " -> " << text(each.b)
        << (each.of.empty() ? "" : "  (" + each.of + ")") << '\n';
  }
  if (differences.size() > kMostShown)
    out << "  and " << differences.size() - kMostShown << " more (--format json has all)\n";
}

std::string csv_number(const std::optional<double>& value) {
  return value ? shortest(*value) : std::string();
}

}  // namespace

void show_comparison(std::ostream& out, const Comparison& comparison, const TableLook& look) {
  const auto held = [](const std::string& text) {
    return text.empty() ? std::string() : "  (" + text + ")";
  };
  out << "A: " << comparison.a << held(comparison.a_holds_for) << "\nB: " << comparison.b
      << held(comparison.b_holds_for) << "\n\n";
  show_pairs(out, comparison, look);
  Remarks remarks;
  for (const ComparedPair& pair : comparison.pairs) {
    remarks.expect(pair.shown, {});
    if (!pair.not_ranked.empty()) remarks.add(pair.not_ranked, pair.shown, {});
  }
  remarks.print(out);
  out << "  " << kAccuracyIsElsewhere << '\n';
  show_list(out, "In A only:", comparison.only_a);
  show_list(out, "In B only:", comparison.only_b);
  show_differences(out, "Settings that differ (A -> B):", comparison.settings);
  std::vector<InputDifference> figures = comparison.figures;
  std::transform(figures.begin(), figures.end(), figures.begin(), for_people);
  show_differences(out, "Figures of the platforms that differ (A -> B):", figures);
  show_list(out, "Notes:", comparison.notes);
}

void show_comparison_csv(std::ostream& out, const Comparison& comparison) {
  out << "run,shown,is_ranked,in,slower,is_significant,a_s,b_s,compute_more_s,exposed_"
         "communication_more_s,"
         "blocked_more_s,a_bytes,b_bytes,currency,a_cost,b_cost,a_energy_j,b_energy_j\n";
  for (const ComparedPair& pair : comparison.pairs) {
    const PhaseTimes more = pair.b.phases - pair.a.phases;
    const auto is_significant = pair.is_significant();
    out << csv_row({pair.name,
                    pair.shown,
                    pair.not_ranked.empty() ? "yes" : "no",
                    "both",
                    shortest(pair.slower()),
                    !is_significant   ? ""
                    : *is_significant ? "true"
                                      : "false",
                    shortest(pair.a.time_s),
                    shortest(pair.b.time_s),
                    shortest(more.compute_s),
                    shortest(more.exposed_communication_s),
                    shortest(more.blocked_s),
                    shortest(pair.a.bytes()),
                    shortest(pair.b.bytes()),
                    comparison.currency,
                    csv_number(pair.a.cost),
                    csv_number(pair.b.cost),
                    csv_number(pair.a.energy_j),
                    csv_number(pair.b.energy_j)});
  }
  constexpr std::size_t kEmpty = 14;  // cells of a run without a partner
  for (const auto& [where, names] :
       {std::pair("a", &comparison.only_a), std::pair("b", &comparison.only_b)}) {
    for (const std::string& name : *names) {
      std::vector<std::string> cells = {name, "", "", where};
      cells.resize(cells.size() + kEmpty);
      out << csv_row(cells);
    }
  }
}

}  // namespace epochcast
