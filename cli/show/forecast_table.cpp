// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <utility>

#include "core/job/platform_figures.hpp"
#include "strategies/learning.hpp"
#include "strategies/run_name.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

/// The baseline of the others: sync, if possible without overlap.
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

/// Possible texts after a strategy's name: ", H 32/1", " = an epoch", ", overlap".
constexpr std::size_t kPeriodWidth = 8;
constexpr std::size_t kEpochWidth = 11;
constexpr std::size_t kOverlapWidth = 9;

}  // namespace

std::vector<const RunResult*> ranked(const std::vector<ForecastOutcome>& point) {
  std::vector<const RunResult*> runs;
  for (const ForecastOutcome& outcome : point) {
    if (outcome.run) runs.push_back(&*outcome.run);
  }
  std::stable_sort(runs.begin(), runs.end(), [](const RunResult* a, const RunResult* b) {
    return is_ranked(*a) != is_ranked(*b) ? is_ranked(*a) : a->ranked_s() < b->ranked_s();
  });
  return runs;
}

ForecastTable::ForecastTable(const std::vector<ForecastTask>& tasks, TableStyle style)
    : style_(std::move(style)), has_column_(forecast_columns().size(), false) {
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
    // Strategies always have a column, and are ranked.
    if (varies && axis.name != "strategy") axes_.push_back(std::move(axis));
  }
  has_batches_ =
      !is_swept("batch") && std::any_of(tasks.begin(), tasks.end(), [&](const auto& task) {
        return task.config.batch != tasks.front().config.batch;
      });
  if (axes_.empty()) return;  // tables printed at once have exact widths
  has_ranks_ = false;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Strategy& strategy = find_strategy(tasks[i].strategy);
    const bool has_epochs = strategy.period != nullptr && strategy.period->usual == 0 &&
                            !strategy.period->value(tasks[i].config).has_value();
    const std::size_t width = tasks[i].strategy.size() +
                              (strategy.period != nullptr ? kPeriodWidth : 0) +
                              (has_epochs ? kEpochWidth : 0) +
                              (tasks[i].config.overlap == Overlap::bucket ? kOverlapWidth : 0);
    strategy_width_ = std::max(strategy_width_, width);
    has_ranks_ = has_ranks_ || (i > 0 && place_of(tasks[i]) == place_of(tasks[i - 1]));
  }
}

bool ForecastTable::is_swept(const std::string& setting) const {
  return std::any_of(
      axes_.begin(), axes_.end(), [&](const Axis& axis) { return axis.name == setting; });
}

/// Whether points differ in their workers.
bool ForecastTable::sweeps_layout() const {
  const bool sweeps_counts = std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) {
    return is_figure(axis.name) && kind_of_figure(axis.name) == FigureKind::count;
  });
  return sweeps_counts || is_swept("platform") || is_swept("nodes") || is_swept("workers") ||
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
  const bool is_held =
      !is_swept("batch") && !has_batches_ && !is_swept("precision") && !is_swept("kernels");
  add(is_held, held_for(run));
  add(!is_held && !is_swept("batch") && !has_batches_,
      "batch " + std::to_string(run.batch) + " per worker");
  add(!is_held && !is_swept("precision") && setting_of(run, "precision") != "auto",
      setting_of(run, "precision"));
  add(!is_swept("epochs"), std::to_string(run.epochs) + (run.epochs == 1 ? " epoch" : " epochs"));
  std::vector<SettingText> fixed = task.point;
  std::erase_if(fixed, [&](const SettingText& setting) {
    return is_swept(setting.name) || setting.name == "strategy";
  });
  if (!fixed.empty()) text += "  [" + point_text(fixed) + "]";
  out << text << "\n\n";
}

/// By index: the requested ones, or all that some row requires.
std::vector<std::size_t> ForecastTable::wanted_columns() const {
  const auto all = forecast_columns();
  std::vector<std::size_t> wanted;
  for (const std::string& name : style_.columns) {
    const auto found = std::ranges::find(all, name, &ForecastColumn::name);
    wanted.push_back(static_cast<std::size_t>(found - all.begin()));
  }
  if (!wanted.empty()) return wanted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool differs = all[i].name == "workers"     ? sweeps_layout()
                         : all[i].name == "precision" ? precisions_.size() > 1
                                                      : all[i].name == "batch" && has_batches_;
    if (has_column_[i] || differs) wanted.push_back(i);
  }
  return wanted;
}

Table ForecastTable::begun() const {
  Table table;
  using enum Table::Align;
  for (const Axis& axis : axes_) {
    table.add_column({.title = axis.name,
                      .align = axis.is_number ? right : left,
                      .least_width = axis.width,
                      .importance = Table::kAlways});
  }
  if (has_ranks_) table.add_column({.title = "#", .align = right, .importance = Table::kAlways});
  for (const std::size_t index : columns_) {
    const ForecastColumn& column = forecast_columns()[index];
    const bool is_name = column.name == "strategy";
    table.add_column({.title = std::string(column.title),
                      .align = column.align,
                      .least_width = axes_.empty() ? 0
                                     : is_name     ? strategy_width_
                                                   : column.swept_width,
                      .importance = style_.columns.empty() ? column.importance : Table::kAlways,
                      .paint = column.paint});
  }
  return table;
}

ForecastTable::Row ForecastTable::row_of(const ForecastRow& row, const ForecastTask& task) const {
  Row made;
  for (const SettingText& setting : task.point) {
    if (is_swept(setting.name)) made.place.push_back(setting.value);
  }
  made.rank = row.rank == 0 ? "-" : std::to_string(row.rank);
  made.is_ranked = row.rank > 0;
  for (const ForecastColumn& column : forecast_columns()) {
    made.cells.push_back(column.cell(row));
    if (column.name == style_.sorted_by && column.number != nullptr)
      made.sorted_by = column.number(row);
  }
  return made;
}

void ForecastTable::add(Row row) {
  std::vector<std::string> cells = std::move(row.place);
  if (has_ranks_) cells.push_back(row.rank);
  for (const std::size_t index : columns_) cells.push_back(row.cells[index]);
  table_.add_row(std::move(cells));
}

void ForecastTable::show(std::ostream& out, const std::vector<ForecastOutcome>& point) {
  const std::vector<const RunResult*> runs = ranked(point);
  if (runs.empty()) return;
  const ForecastTask& task = point.front().task;
  const RunResult* sync = has_ranks_ ? baseline_of(runs) : nullptr;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ForecastRow row = {
        .run = *runs[i], .rank = is_ranked(*runs[i]) ? i + 1 : 0, .sync = sync};
    rows.push_back(row_of(row, task));
    precisions_.insert(setting_of(*runs[i], "precision"));
    for (std::size_t column = 0; column < has_column_.size(); ++column) {
      const auto has = forecast_columns()[column].has;
      has_column_[column] = has_column_[column] || has == nullptr || has(row);
    }
  }
  if (!has_begun_) show_heading(out, runs, task);
  const std::vector<std::size_t> before = std::exchange(columns_, wanted_columns());
  const bool is_first = !std::exchange(has_begun_, true);
  if (!style_.sorted_by.empty()) {
    std::ranges::move(rows, std::back_inserter(kept_));
    return;
  }
  // A newly required column begins the table anew.
  const bool begins = is_first || columns_ != before;
  if (!is_first && (has_ranks_ || begins)) out << '\n';
  if (begins) table_ = begun();
  bool was_ranked = false;  // the previous row
  for (Row& row : rows) {
    if (has_ranks_ && was_ranked && !row.is_ranked) table_.add_heading(std::string(kNotRanked));
    was_ranked = row.is_ranked;
    add(std::move(row));
  }
  table_.print(out, style_.look);
}

void ForecastTable::finish(std::ostream& out) {
  if (!kept_.empty()) {
    const auto column =
        std::ranges::find(forecast_columns(), style_.sorted_by, &ForecastColumn::name);
    const auto index = static_cast<std::size_t>(column - forecast_columns().begin());
    const bool is_text = column->number == nullptr;
    std::ranges::stable_sort(kept_, [&](const Row& a, const Row& b) {
      const Row& first = style_.is_descending ? b : a;
      const Row& second = style_.is_descending ? a : b;
      if (is_text) return first.cells[index] < second.cells[index];
      if (std::isnan(a.sorted_by) || std::isnan(b.sorted_by))
        return !std::isnan(a.sorted_by) && std::isnan(b.sorted_by);
      return first.sorted_by < second.sorted_by;
    });
    const auto unranked =
        has_ranks_ ? std::stable_partition(
                         kept_.begin(), kept_.end(), [](const Row& row) { return row.is_ranked; })
                   : kept_.end();
    table_ = begun();
    for (auto row = kept_.begin(); row != kept_.end(); ++row) {
      if (row == unranked && row != kept_.begin()) table_.add_heading(std::string(kNotRanked));
      add(std::move(*row));
    }
    table_.print(out, style_.look);
  }
  table_.name_left_out(out);
}

void show_legend(std::ostream& out, bool has_target) {
  out << "\n  Epoch, compute, exchange (communication that is not hidden) and blocked (waiting for "
         "other workers) are means over\n"
         "  workers and epochs; bytes are sums over workers. Inputs: the lowest grade among "
         "platform, links and costs\n"
         "  (measured > published > extrapolated > estimated).\n"
         "  Of data: the samples that an epoch trains on, as a share of the data set. Strategies "
         "are "
         "compared by \"all data\": the time\n"
         "  for as many samples as the data set has"
      << (has_target ? "; with --target, by the time to it, which curves of --curves give.\n"
                     : ". " + std::string(kAccuracyIsElsewhere) + '\n');
}

}  // namespace epochcast
