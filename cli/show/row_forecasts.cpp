// SPDX-License-Identifier: Apache-2.0
#include "cli/show/row_forecasts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text/units.hpp"
#include "cli/show/table.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

bool accumulates(const TrainingRow& row) { return row.accumulation > 1; }

/// The columns of a configuration; accumulation if any row has it.
void add_columns(Table& table, bool has_accumulation, const Cells& others) {
  Cells titles = {"nodes", "devices", "batch"};
  if (has_accumulation) titles.emplace_back("accumulate");
  titles.insert(titles.end(), others.begin(), others.end());
  for (const std::string& title : titles) table.add_column(title, Table::Align::right);
}

Cells cells_of(const TrainingRow& row, bool has_accumulation) {
  Cells cells = {fmt::format("{}", row.nodes),
                 fmt::format("{}", row.devices),
                 fmt::format("{:.4g}", row.batch)};
  if (has_accumulation) cells.push_back(fmt::format("{}", row.accumulation));
  return cells;
}

void show_steps(std::ostream& out,
                const RowsFile& rows,
                const std::vector<StepForecast>& steps,
                const TableLook& look) {
  const bool has_accumulation =
      std::any_of(rows.forecast.begin(), rows.forecast.end(), accumulates);
  Table table;
  add_columns(table, has_accumulation, {"step", "samples/s", "90 % between", "and"});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double samples = samples_of(rows.forecast[i]);
    Cells cells = cells_of(rows.forecast[i], has_accumulation);
    for (const std::string& text : {format_seconds(steps[i].step_s),
                                    row_rate_text(samples / steps[i].step_s),
                                    row_rate_text(samples / steps[i].high_s),
                                    row_rate_text(samples / steps[i].low_s)})
      cells.push_back(text);
    table.add_row(cells);
  }
  table.print_whole(out, look);
}

void show_fit(std::ostream& out,
              const RowsFile& rows,
              const std::vector<StepForecast>& fit,
              const TableLook& look) {
  const bool has_accumulation =
      std::any_of(rows.rows.begin(), rows.rows.end(), [](const MeasuredRow& measured) {
        return accumulates(measured.row);
      });
  Table table;
  add_columns(table, has_accumulation, {"measured, samples/s", "fit", "difference"});
  for (std::size_t i = 0; i < fit.size(); ++i) {
    const MeasuredRow& measured = rows.rows[i];
    if (measured.overlap) continue;
    const double samples = samples_of(measured.row);
    const double percent = 100 * (measured.step_s / fit[i].step_s - 1);
    Cells cells = cells_of(measured.row, has_accumulation);
    for (const std::string& text : {row_rate_text(samples / measured.step_s),
                                    row_rate_text(samples / fit[i].step_s),
                                    fmt::format("{:+.1f} %", std::round(10 * percent) / 10 + 0.0)})
      cells.push_back(text);
    table.add_row(cells);
  }
  out << "\nMeasured rows, and the fit of all of them:\n";
  table.print_whole(out, look);
}

Json json_of(const StepForecast& forecast) {
  return {{"seconds", forecast.step_s}, {"low", forecast.low_s}, {"high", forecast.high_s}};
}

Json json_of(const TrainingRow& row) {
  return {{"nodes", row.nodes},
          {"devices", row.devices},
          {"batch", row.batch},
          {"accumulation", row.accumulation}};
}

}  // namespace

std::string row_rate_text(double samples_per_s) {
  return samples_per_s >= 100 ? fmt::format("{:.0f}", samples_per_s)
                              : fmt::format("{:.3g}", samples_per_s);
}

double samples_of(const TrainingRow& row) { return row.batch * row.accumulation * row.devices; }

void show_row_forecasts(std::ostream& out,
                        const RowsFile& rows,
                        const RowForecasts& answers,
                        const TableLook& look) {
  using enum Table::Align;
  if (!answers.steps.empty()) {
    show_steps(out, rows, answers.steps, look);
    show_fit(out, rows, answers.fit, look);
  }
  Table others;
  for (const char* title : {"nodes", "size", "collective", "90 % between", "and"})
    others.add_column(title, right);
  for (std::size_t i = 0; i < answers.collectives.size(); ++i) {
    const StepForecast& collective = answers.collectives[i];
    others.add_row({fmt::format("{}", rows.collectives[i].nodes),
                    format_bytes(rows.collectives[i].bytes),
                    format_seconds(collective.step_s),
                    format_seconds(collective.low_s),
                    format_seconds(collective.high_s)});
  }
  if (!answers.collectives.empty()) others.print_whole(out, look);
  Table of_rounds;
  for (const char* title : {"target batch", "round", "samples/s", "90 % between", "and"})
    of_rounds.add_column(title, right);
  for (std::size_t i = 0; i < answers.rounds.size(); ++i) {
    const StepForecast& round = answers.rounds[i];
    const double samples = rows.rounds[i].target;
    of_rounds.add_row({fmt::format("{:.0f}", samples),
                       format_seconds(round.step_s),
                       row_rate_text(samples / round.step_s),
                       row_rate_text(samples / round.high_s),
                       row_rate_text(samples / round.low_s)});
  }
  if (!answers.rounds.empty()) of_rounds.print_whole(out, look);
}

Json row_forecasts_json(const RowsFile& rows, const RowForecasts& answers) {
  Json document = {{"schema", "epochcast.row-forecasts/1"},
                   {"forecast", Json::array()},
                   {"collectives", Json::array()},
                   {"rounds", Json::array()},
                   {"measured", Json::array()}};
  for (std::size_t i = 0; i < answers.steps.size(); ++i) {
    Json row = json_of(rows.forecast[i]);
    row.update(json_of(answers.steps[i]));
    document["forecast"].push_back(std::move(row));
  }
  for (const StepForecast& forecast : answers.collectives)
    document["collectives"].push_back(json_of(forecast));
  for (const StepForecast& forecast : answers.rounds)
    document["rounds"].push_back(json_of(forecast));
  for (std::size_t i = 0; i < answers.fit.size(); ++i) {
    if (rows.rows[i].overlap) continue;
    Json row = json_of(rows.rows[i].row);
    row["seconds"] = rows.rows[i].step_s;
    row["fit"] = answers.fit[i].step_s;
    document["measured"].push_back(std::move(row));
  }
  return document;
}

}  // namespace epochcast
