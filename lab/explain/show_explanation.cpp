// SPDX-License-Identifier: Apache-2.0
#include "lab/explain/show_explanation.hpp"

#include <ostream>
#include <string>

#include "analysis/validate/validation_text.hpp"
#include "cli/show/table.hpp"

namespace epochcast {
namespace {

constexpr const char* kExplanationLegend =
    "Error: forecast / measured - 1. Batches and exchanges: how much longer they took around the "
    "runs than as calibrated. Drift and\n"
    "model: the part of the error that this explains, and the rest. A dash: not timed, or another "
    "cluster was calibrated.\n";

std::string percent_or_dash(const std::optional<double>& share) {
  return share ? signed_percent_text(*share) : "-";
}

Table table_of(const std::vector<Explanation>& explanations) {
  Table table;
  table.add_column("point");
  for (const char* title : {"error", "drift", "model", "batches", "exchanges"})
    table.add_column(title, Table::Align::right);
  const std::string* group = nullptr;
  for (const Explanation& each : explanations) {
    if (group == nullptr || *group != each.group) table.add_heading(each.group);
    group = &each.group;
    const MachineDrift drift = each.drift.value_or(MachineDrift());
    table.add_row({each.point,
                   signed_percent_text(each.error),
                   percent_or_dash(each.drift_error),
                   percent_or_dash(each.model_error()),
                   percent_or_dash(drift.batches),
                   percent_or_dash(drift.exchanges)});
  }
  return table;
}

}  // namespace

void show_explanation(std::ostream& out,
                      const std::vector<Explanation>& explanations,
                      const TableLook& look) {
  table_of(explanations).print_whole(out, look);
  out << '\n' << kExplanationLegend;
}

void show_explanation_markdown(std::ostream& out, const std::vector<Explanation>& explanations) {
  table_of(explanations).print_markdown(out);
  out << '\n' << kExplanationLegend;
}

}  // namespace epochcast
