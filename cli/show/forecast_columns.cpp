// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"
#include "core/price.hpp"
#include "strategies/run_name.hpp"

namespace epochcast {
namespace {

using Row = ForecastRow;

/// Seconds, bytes, shares and factors have three digits and a unit.
constexpr std::size_t kNumberWidth = 7;
constexpr std::size_t kIntervalWidth = 18;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Both ends; if they round to the same text, their distance.
std::string interval_cell(const Row& row) {
  const auto& interval = row.run.epoch_s_interval;
  if (!interval) return "-";
  const std::string low = format_seconds(interval->low_s);
  const std::string high = format_seconds(interval->high_s);
  if (low != high) return low + " .. " + high;
  const double half = (interval->high_s - interval->low_s) / 2;
  return low + fmt::format(" ± {:.1g} %", 100 * half / row.run.epoch_s);
}

double width_number(const Row& row) {
  const auto& interval = row.run.epoch_s_interval;
  return interval ? interval->high_s - interval->low_s : kNone;
}

double share_number(const Row& row) {
  return static_cast<double>(row.run.samples_per_epoch) /
         static_cast<double>(row.run.train_samples);
}

double versus_number(const Row& row) {
  return row.sync == nullptr ? kNone : row.sync->dataset_s() / row.run.dataset_s();
}

std::string versus_cell(const Row& row) {
  return row.sync == nullptr ? "-" : fmt::format("{:.2f}x", versus_number(row));
}

double target_number(const Row& row) { return row.run.target_s().value_or(kNone); }

std::string target_cell(const Row& row) {
  return row.run.target_samples ? format_seconds(target_number(row)) : "unknown";
}

bool has_target(const Row& row) { return !setting_of(row.run, "target").empty(); }

double target_samples_number(const Row& row) { return row.run.target_samples.value_or(kNone); }

/// Samples to the target, and how many times those of sync.
std::string target_samples_cell(const Row& row) {
  if (!row.run.target_samples) return "-";
  const double samples = *row.run.target_samples;
  std::string text =
      samples < 1e6 ? fmt::format("{:.0f}", samples) : fmt::format("{:.3g} M", samples / 1e6);
  if (row.sync != nullptr && row.sync != &row.run && row.sync->target_samples)
    text += fmt::format(" ({:.2f}x)", samples / *row.sync->target_samples);
  return text;
}

double job_number(const Row& row) { return row.run.job_s(); }

double cost_number(const Row& row) {
  return row.run.cost ? row.run.cost->rate.of(row.run.job_s()) : kNone;
}

std::string cost_cell(const Row& row) {
  return row.run.cost ? format_money(cost_number(row), row.run.cost->rate.currency) : "-";
}

double energy_number(const Row& row) { return row.run.energy ? row.run.job_j() : kNone; }

std::string energy_cell(const Row& row) {
  return row.run.energy ? format_energy(row.run.job_j()) : "-";
}

/// The phases of an epoch, as a bar of 20 characters.
std::string phase_bar(const Row& row) {
  constexpr double kWidth = 20;
  const PhaseTimes& phases = row.run.phases;
  const double total_s = phases.total_s();
  if (total_s <= 0) return {};
  const auto computing = std::lround(kWidth * phases.compute_s / total_s);
  const auto exchanging =
      std::lround(kWidth * (phases.compute_s + phases.exposed_communication_s) / total_s) -
      computing;
  std::string bar;
  for (int i = 0; i < static_cast<int>(kWidth); ++i) {
    bar += i < computing ? "#" : i < computing + exchanging ? "=" : ".";
  }
  return bar;
}

std::string painted_bar(const std::string& bar) {
  const std::size_t exchange = std::min(bar.find_first_not_of('#'), bar.size());
  const std::size_t blocked = std::min(bar.find('.'), bar.size());
  std::string text;
  if (exchange > 0) text += coloured(bar.substr(0, exchange), Colour::blue);
  if (blocked > exchange)
    text += coloured(bar.substr(exchange, blocked - exchange), Colour::yellow);
  if (blocked < bar.size()) text += coloured(bar.substr(blocked), Colour::red);
  return text;
}

std::string painted_grade(const std::string& grade) {
  return coloured(grade,
                  grade == to_string(Grade::measured)    ? Colour::green
                  : grade == to_string(Grade::published) ? Colour::blue
                                                         : Colour::yellow);
}

/// The cell with a column's number as time, or as an amount of data.
template <double (*Number)(const Row&)>
std::string time_cell(const Row& row) {
  return format_seconds(Number(row));
}
template <double (*Number)(const Row&)>
std::string bytes_cell(const Row& row) {
  return format_bytes(Number(row));
}

double throughput_number(const Row& row) { return row.run.samples_per_s(); }
double device_throughput_number(const Row& row) { return row.run.device_samples_per_s(); }

/// Samples per second: integers from 100 on, else three digits.
template <double (*Number)(const Row&)>
std::string rate_cell(const Row& row) {
  const double rate = Number(row);
  return rate >= 100 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
}

double epoch_number(const Row& row) { return row.run.epoch_s; }
double data_number(const Row& row) { return row.run.dataset_s(); }
double compute_number(const Row& row) { return row.run.phases.compute_s; }
/// Zero for what only rounding leaves of a phase.
double phase_number(const Row& row, double seconds) {
  constexpr double kRounding = 1e-9;
  return seconds < kRounding * row.run.epoch_s ? 0 : seconds;
}

double exchange_number(const Row& row) {
  return phase_number(row, row.run.phases.exposed_communication_s);
}
double blocked_number(const Row& row) { return phase_number(row, row.run.phases.blocked_s); }
double rounds_number(const Row& row) { return static_cast<double>(row.run.rounds_per_epoch); }
double in_nodes_number(const Row& row) { return row.run.intra_node_bytes; }
double between_number(const Row& row) { return row.run.inter_node_bytes; }
double grade_number(const Row& row) { return static_cast<double>(row.run.input_grade); }
double batch_number(const Row& row) { return static_cast<double>(row.run.batch); }

double speed_up_number(const Row& row) {
  return row.run.scaling ? row.run.scaling->speed_up : kNone;
}

std::string speed_up_cell(const Row& row) {
  return row.run.scaling ? fmt::format("{:.2f}x", row.run.scaling->speed_up) : "-";
}

double efficiency_number(const Row& row) {
  return row.run.scaling ? row.run.scaling->efficiency : kNone;
}

std::string efficiency_cell(const Row& row) {
  return row.run.scaling ? format_percent(row.run.scaling->efficiency, 1) : "-";
}

double workers_number(const Row& row) { return row.run.workers; }

constexpr ForecastColumn kColumns[] = {
    {.name = "strategy",
     .title = "strategy",
     .cell = [](const Row& row) { return run_name(row.run); },
     .importance = Table::kAlways,
     .align = Table::Align::left},
    // Shown if points of a sweep differ in it without sweeping it.
    {.name = "batch",
     .title = "batch",
     .number = batch_number,
     .cell = [](const Row& row) { return std::to_string(row.run.batch); },
     .importance = 64,
     .has = [](const Row&) { return false; }},
    {.name = "precision",
     .title = "precision",
     .cell = [](const Row& row) { return setting_of(row.run, "precision"); },
     .importance = 63,
     .align = Table::Align::left,
     .has = [](const Row&) { return false; }},
    {.name = "epoch",
     .title = "epoch",
     .number = epoch_number,
     .cell = time_cell<epoch_number>,
     .importance = 100,
     .swept_width = kNumberWidth},
    {.name = "interval",
     .title = "5 - 95 %",
     .number = width_number,
     .cell = interval_cell,
     .importance = 65,
     .swept_width = kIntervalWidth,
     .has = [](const Row& row) { return row.run.epoch_s_interval.has_value(); }},
    {.name = "of-data",
     .title = "of data",
     .number = share_number,
     .cell = [](const Row& row) { return format_percent(share_number(row), 1); },
     .importance = 50},
    {.name = "all-data",
     .title = "all data",
     .number = data_number,
     .cell = time_cell<data_number>,
     .importance = 95},
    {.name = "vs-sync",
     .title = "vs sync",
     .number = versus_number,
     .cell = versus_cell,
     .importance = 90,
     .has = [](const Row& row) { return row.sync != nullptr; }},
    {.name = "to-target",
     .title = "to target",
     .number = target_number,
     .cell = target_cell,
     .importance = 96,
     .swept_width = kNumberWidth,
     .has = has_target},
    {.name = "target-samples",
     .title = "samples to it (of sync's)",
     .number = target_samples_number,
     .cell = target_samples_cell,
     .importance = 87,
     .has = has_target},
    {.name = "throughput",
     .title = "samples/s",
     .number = throughput_number,
     .cell = rate_cell<throughput_number>,
     .importance = 58,
     .swept_width = kNumberWidth},
    {.name = "device-throughput",
     .title = "per device",
     .number = device_throughput_number,
     .cell = rate_cell<device_throughput_number>,
     .importance = 42,
     .swept_width = kNumberWidth},
    {.name = "speed-up",
     .title = "speed-up",
     .number = speed_up_number,
     .cell = speed_up_cell,
     .importance = 88,
     .has = [](const Row& row) { return row.run.scaling.has_value(); }},
    {.name = "efficiency",
     .title = "efficiency",
     .number = efficiency_number,
     .cell = efficiency_cell,
     .importance = 89,
     .has = [](const Row& row) { return row.run.scaling.has_value(); }},
    {.name = "compute",
     .title = "compute",
     .number = compute_number,
     .cell = time_cell<compute_number>,
     .importance = 70,
     .swept_width = kNumberWidth},
    {.name = "exchange",
     .title = "exchange",
     .number = exchange_number,
     .cell = time_cell<exchange_number>,
     .importance = 80},
    {.name = "blocked",
     .title = "blocked",
     .number = blocked_number,
     .cell = time_cell<blocked_number>,
     .importance = 75,
     .swept_width = kNumberWidth},
    {.name = "phases",
     .title = "# compute = exchange . blocked",
     .cell = phase_bar,
     .importance = 40,
     .align = Table::Align::left,
     .paint = painted_bar},
    {.name = "rounds",
     .title = "rounds",
     .number = rounds_number,
     .cell = [](const Row& row) { return std::to_string(row.run.rounds_per_epoch); },
     .importance = 30},
    {.name = "in-nodes",
     .title = "in nodes",
     .number = in_nodes_number,
     .cell = bytes_cell<in_nodes_number>,
     .importance = 20},
    {.name = "between",
     .title = "between",
     .number = between_number,
     .cell = bytes_cell<between_number>,
     .importance = 25,
     .swept_width = kNumberWidth},
    {.name = "whole-job",
     .title = "whole job",
     .number = job_number,
     .cell = time_cell<job_number>,
     .importance = 45},
    {.name = "job-cost",
     .title = "job cost",
     .number = cost_number,
     .cell = cost_cell,
     .importance = 85,
     .swept_width = kNumberWidth,
     .has = [](const Row& row) { return row.run.cost.has_value(); }},
    {.name = "job-energy",
     .title = "job energy",
     .number = energy_number,
     .cell = energy_cell,
     .importance = 60,
     .has = [](const Row& row) { return row.run.energy.has_value(); }},
    {.name = "inputs",
     .title = "inputs",
     .number = grade_number,
     .cell = [](const Row& row) { return std::string(to_string(row.run.input_grade)); },
     .importance = 55,
     .align = Table::Align::left,
     .paint = painted_grade},
    // The last one, since its width is not known in advance; shown if points of a sweep differ in
    // it.
    {.name = "workers",
     .title = "workers",
     .number = workers_number,
     .cell = [](const Row& row) { return workers_text(row.run); },
     .importance = 35,
     .align = Table::Align::left,
     .has = [](const Row&) { return false; }},
};

}  // namespace

std::span<const ForecastColumn> forecast_columns() { return kColumns; }

std::string forecast_column_names() {
  std::string text;
  for (const ForecastColumn& column : kColumns)
    text += (text.empty() ? "" : ", ") + std::string(column.name);
  return text;
}

std::string workers_text(const RunResult& run) {
  std::string text;
  for (const DeviceResult& device : run.by_device) {
    text += (text.empty() ? "" : " + ") + std::to_string(device.workers) + " " + device.model;
  }
  const std::string sharers = setting_of(run, "ranks-per-device");
  if (!sharers.empty() && sharers != "1") text += ", " + sharers + " on each device";
  return text;
}

bool overlaps(const RunResult& run) { return setting_of(run, "overlap") == "bucket"; }

}  // namespace epochcast
