// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/show/table.hpp"
#include "core/spread.hpp"
#include "core/units.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

/// Where an epoch goes, as a bar of 20 characters.
std::string phase_bar(const PhaseTimes& phases) {
  constexpr double kWidth = 20;
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

std::string interval_text(const RunResult& run) {
  if (!run.epoch_s_interval) return "-";
  return format_seconds(run.epoch_s_interval->low_s) + " .. " +
         format_seconds(run.epoch_s_interval->high_s);
}

std::string setting_of(const RunResult& run, const std::string& name) {
  const auto found = std::find_if(run.config.begin(),
                                  run.config.end(),
                                  [&](const SettingText& each) { return each.name == name; });
  return found == run.config.end() ? std::string() : found->value;
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

/// The strategy with what tells it from its kin: K' or H, and whether communication overlaps.
std::string name_of(const RunResult& run) {
  std::string text = run.strategy;
  std::vector<std::int64_t> steps;  // of the devices that train, the most first
  for (const DeviceResult& device : run.by_device) {
    if (device.role == "trains") steps.push_back(device.local_steps);
  }
  std::sort(steps.rbegin(), steps.rend());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const bool averages =
      !steps.empty() && (steps.front() > 1 || run.rounds_per_epoch < run.iterations_per_epoch);
  if (averages) {
    const Period* period = find_strategy(run.strategy).period;
    text += ", " + std::string(period == nullptr ? "steps" : period->symbol) + " ";
    for (std::size_t i = 0; i < steps.size(); ++i)
      text += (i == 0 ? "" : "/") + std::to_string(steps[i]);
  }
  if (overlaps(run)) text += ", overlap";
  return text;
}

/// What the others are compared with: sync, if possible without overlap.
const RunResult* baseline_of(const std::vector<const RunResult*>& runs) {
  const RunResult* found = nullptr;
  for (const RunResult* run : runs) {
    if (run->strategy == "sync" && (found == nullptr || !overlaps(*run))) found = run;
  }
  return found;
}

/// A number, such as "12" or "25Gbps".
bool is_number(const std::string& text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

/// Seconds, bytes, shares and factors have three digits and a unit.
constexpr std::size_t kNumberWidth = 7;
constexpr std::size_t kIntervalWidth = 18;
/// What may stand behind a strategy's name: ", H 32/1", ", overlap".
constexpr std::size_t kPeriodWidth = 8;
constexpr std::size_t kOverlapWidth = 9;

}  // namespace

std::vector<const RunResult*> ranked(const std::vector<ForecastOutcome>& point) {
  std::vector<const RunResult*> runs;
  for (const ForecastOutcome& outcome : point) {
    if (outcome.run) runs.push_back(&*outcome.run);
  }
  std::stable_sort(runs.begin(), runs.end(), [](const RunResult* a, const RunResult* b) {
    return a->dataset_s() < b->dataset_s();
  });
  return runs;
}

ForecastTable::ForecastTable(const std::vector<ForecastTask>& tasks) {
  if (tasks.empty()) return;
  for (std::size_t i = 0; i < tasks.front().point.size(); ++i) {
    const SettingText& first = tasks.front().point[i];
    Axis axis = {.name = first.name};
    bool varies = false;
    for (const ForecastTask& task : tasks) {
      const std::string& value = task.point[i].value;
      varies = varies || value != first.value;
      axis.is_number = axis.is_number && is_number(value);
      axis.width = std::max(axis.width, value.size());
    }
    // Strategies have a column anyway, and are ranked.
    if (varies && axis.name != "strategy") axes_.push_back(std::move(axis));
  }
  if (axes_.empty()) return;  // what is printed at once is as wide as it is
  has_ranks_ = false;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Strategy& strategy = find_strategy(tasks[i].strategy);
    const std::size_t width = tasks[i].strategy.size() +
                              (strategy.period != nullptr ? kPeriodWidth : 0) +
                              (tasks[i].config.overlap == Overlap::bucket ? kOverlapWidth : 0);
    strategy_width_ = std::max(strategy_width_, width);
    has_ranks_ = has_ranks_ || (i > 0 && place_of(tasks[i]) == place_of(tasks[i - 1]));
  }
}

bool ForecastTable::is_swept(const std::string& setting) const {
  return std::any_of(
      axes_.begin(), axes_.end(), [&](const Axis& axis) { return axis.name == setting; });
}

/// Whether points differ in who works.
bool ForecastTable::sweeps_layout() const {
  return is_swept("platform") || is_swept("nodes") || is_swept("workers") ||
         is_swept("ranks-per-device");
}

std::string ForecastTable::place_of(const ForecastTask& task) const {
  std::vector<SettingText> place;
  for (const SettingText& setting : task.point) {
    if (is_swept(setting.name)) place.push_back(setting);
  }
  return point_text(place);
}

void ForecastTable::show_heading(std::ostream& out,
                                 const std::vector<const RunResult*>& runs,
                                 const ForecastTask& task) const {
  const RunResult& run = *runs.front();
  const RunResult* widest =
      *std::max_element(runs.begin(), runs.end(), [](const auto* a, const auto* b) {
        return a->by_device.size() != b->by_device.size()
                   ? a->by_device.size() < b->by_device.size()
                   : a->workers < b->workers;
      });
  std::string text;
  const auto add = [&](bool is_common, const std::string& part) {
    if (is_common) text += (text.empty() ? "" : ", ") + part;
  };
  const bool has_network = !is_swept("network");
  const bool has_dataset = !is_swept("dataset");
  add(has_network, run.network + (has_dataset ? " on " + run.dataset : ""));
  add(!has_network && has_dataset, "data set " + run.dataset);
  add(!is_swept("platform"), "platform " + run.platform);
  add(!sweeps_layout(),
      std::to_string(run.nodes) + (run.nodes == 1 ? " node: " : " nodes: ") +
          workers_text(*widest));
  add(!is_swept("batch"), "batch " + std::to_string(run.batch) + " per worker");
  add(!is_swept("epochs"), std::to_string(run.epochs) + (run.epochs == 1 ? " epoch" : " epochs"));
  std::vector<SettingText> fixed = task.point;
  std::erase_if(fixed, [&](const SettingText& setting) {
    return is_swept(setting.name) || setting.name == "strategy";
  });
  if (!fixed.empty()) text += "  [" + point_text(fixed) + "]";
  out << text << "\n\n";
}

Table ForecastTable::begun() const {
  const std::size_t width = axes_.empty() ? 0 : kNumberWidth;
  Table table;
  using enum Table::Align;
  for (const Axis& axis : axes_) {
    table.add_column(axis.name, axis.is_number ? right : left, axis.width);
  }
  if (has_ranks_) table.add_column("#", right);
  table.add_column("strategy", left, strategy_width_);
  table.add_column("epoch", right, width);
  if (columns_.has_interval)
    table.add_column("5 - 95 %", right, axes_.empty() ? 0 : kIntervalWidth);
  table.add_column("of data", right);
  table.add_column("all data", right);
  if (columns_.has_baseline) table.add_column("vs sync", right);
  table.add_column("compute", right, width);
  table.add_column("exchange", right);
  table.add_column("blocked", right, width);
  table.add_column("# compute = exchange . blocked");
  table.add_column("rounds", right);
  table.add_column("in nodes", right);
  table.add_column("between", right, width);
  table.add_column("whole job", right);
  table.add_column("inputs");
  // The last one, as nobody knows how wide it gets.
  if (sweeps_layout()) table.add_column("workers");
  return table;
}

std::vector<std::string> ForecastTable::row_of(const RunResult& run,
                                               const ForecastTask& task,
                                               std::size_t rank,
                                               const RunResult* sync) const {
  std::vector<std::string> row;
  for (const SettingText& setting : task.point) {
    if (is_swept(setting.name)) row.push_back(setting.value);
  }
  if (has_ranks_) row.push_back(std::to_string(rank));
  row.push_back(name_of(run));
  row.push_back(format_seconds(run.epoch_s));
  if (columns_.has_interval) row.push_back(interval_text(run));
  const double share =
      static_cast<double>(run.samples_per_epoch) / static_cast<double>(run.train_samples);
  row.push_back(format_percent(share, 1));
  row.push_back(format_seconds(run.dataset_s()));
  if (columns_.has_baseline) {
    row.push_back(sync == nullptr ? "-"
                                  : fmt::format("{:.2f}x", sync->dataset_s() / run.dataset_s()));
  }
  row.push_back(format_seconds(run.phases.compute_s));
  row.push_back(format_seconds(run.phases.exposed_communication_s));
  row.push_back(format_seconds(run.phases.blocked_s));
  row.push_back(phase_bar(run.phases));
  row.push_back(std::to_string(run.rounds_per_epoch));
  row.push_back(format_bytes(run.intra_node_bytes));
  row.push_back(format_bytes(run.inter_node_bytes));
  row.push_back(format_seconds(run.startup_s + static_cast<double>(run.epochs) * run.epoch_s));
  row.emplace_back(to_string(run.input_grade));
  if (sweeps_layout()) row.push_back(workers_text(run));
  return row;
}

void ForecastTable::show(std::ostream& out, const std::vector<ForecastOutcome>& point) {
  const std::vector<const RunResult*> runs = ranked(point);
  if (runs.empty()) return;
  const ForecastTask& task = point.front().task;
  const RunResult* sync = has_ranks_ ? baseline_of(runs) : nullptr;
  const Columns before = columns_;
  columns_.has_baseline = columns_.has_baseline || sync != nullptr;
  columns_.has_interval =
      columns_.has_interval || std::any_of(runs.begin(), runs.end(), [](const RunResult* run) {
        return run->epoch_s_interval.has_value();
      });
  if (!has_begun_) show_heading(out, runs, task);
  // A column that turns out to be needed begins the table anew.
  const bool begins = !has_begun_ || columns_ != before;
  if (has_begun_ && (has_ranks_ || begins)) out << '\n';
  if (begins) table_ = begun();
  has_begun_ = true;
  for (std::size_t i = 0; i < runs.size(); ++i) table_.add_row(row_of(*runs[i], task, i + 1, sync));
  table_.print(out);
}

void show_legend(std::ostream& out) {
  out << "\n  Epoch, compute, exchange (communication that is not hidden) and blocked (waiting for "
         "other workers) are means over\n"
         "  workers and epochs; bytes are sums over workers. Inputs: the lowest grade among "
         "platform, links and costs\n"
         "  (measured > published > estimated).\n"
         "  Of data: the samples that an epoch trains on, as a share of the data set. Strategies "
         "are "
         "compared by \"all data\": the time\n"
         "  for as many samples as the data set has. How accurate the model gets is not compared "
         "here, "
         "but by epochcast rehearse.\n";
}

}  // namespace epochcast
