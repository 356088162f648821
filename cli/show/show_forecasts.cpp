// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_forecasts.hpp"

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

/// The runs of one point of the sweep, fastest first, by time for equally many samples.
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

void show_heading(std::ostream& out,
                  const std::vector<const RunResult*>& runs,
                  const std::string& point) {
  const RunResult* widest =
      *std::max_element(runs.begin(), runs.end(), [](const auto* a, const auto* b) {
        return a->by_device.size() != b->by_device.size()
                   ? a->by_device.size() < b->by_device.size()
                   : a->workers < b->workers;
      });
  out << runs.front()->network << " on " << runs.front()->dataset << ", platform "
      << runs.front()->platform << ", " << runs.front()->nodes
      << (runs.front()->nodes == 1 ? " node: " : " nodes: ") << workers_text(*widest) << ", batch "
      << runs.front()->batch << " per worker, " << runs.front()->epochs
      << (runs.front()->epochs == 1 ? " epoch" : " epochs");
  if (!point.empty()) out << "  [" << point << "]";
  out << "\n\n";
}

void show_ranking(std::ostream& out, const std::vector<const RunResult*>& runs) {
  const RunResult* sync = baseline_of(runs);
  const bool has_interval = std::any_of(runs.begin(), runs.end(), [](const RunResult* run) {
    return run->epoch_s_interval.has_value();
  });
  Table table;
  using enum Table::Align;
  table.add_column("#", right);
  table.add_column("strategy");
  table.add_column("epoch", right);
  if (has_interval) table.add_column("5 - 95 %", right);
  table.add_column("of data", right);
  table.add_column("all data", right);
  if (sync != nullptr) table.add_column("vs sync", right);
  table.add_column("compute", right);
  table.add_column("exchange", right);
  table.add_column("blocked", right);
  table.add_column("# compute = exchange . blocked");
  table.add_column("rounds", right);
  table.add_column("in nodes", right);
  table.add_column("between", right);
  table.add_column("whole job", right);
  table.add_column("inputs");
  int place = 0;
  for (const RunResult* run : runs) {
    std::vector<std::string> row = {
        std::to_string(++place), name_of(*run), format_seconds(run->epoch_s)};
    if (has_interval) row.push_back(interval_text(*run));
    const double share =
        static_cast<double>(run->samples_per_epoch) / static_cast<double>(run->train_samples);
    row.push_back(format_percent(share, 1));
    row.push_back(format_seconds(run->dataset_s()));
    if (sync != nullptr)
      row.push_back(fmt::format("{:.2f}x", sync->dataset_s() / run->dataset_s()));
    row.push_back(format_seconds(run->phases.compute_s));
    row.push_back(format_seconds(run->phases.exposed_communication_s));
    row.push_back(format_seconds(run->phases.blocked_s));
    row.push_back(phase_bar(run->phases));
    row.push_back(std::to_string(run->rounds_per_epoch));
    row.push_back(format_bytes(run->intra_node_bytes));
    row.push_back(format_bytes(run->inter_node_bytes));
    row.push_back(format_seconds(run->startup_s + static_cast<double>(run->epochs) * run->epoch_s));
    row.emplace_back(to_string(run->input_grade));
    table.add_row(std::move(row));
  }
  table.print(out);
}

/// Notes, each once, with the strategies it is about.
void show_notes(std::ostream& out, const std::vector<const RunResult*>& runs) {
  std::vector<std::string> notes;
  for (const RunResult* run : runs) {
    for (const std::string& note : run->notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  for (const std::string& note : notes) {
    std::string about;
    std::size_t count = 0;
    for (const RunResult* run : runs) {
      if (std::find(run->notes.begin(), run->notes.end(), note) == run->notes.end()) continue;
      about += (about.empty() ? "" : ", ") + run->strategy;
      ++count;
    }
    out << "  " << (count == runs.size() && count > 1 ? "all" : about) << ": " << note << '\n';
  }
}

}  // namespace

void show_point(std::ostream& out, const std::vector<ForecastOutcome>& point) {
  const std::vector<const RunResult*> runs = ranked(point);
  if (!runs.empty()) {
    show_heading(out, runs, point.front().task.point);
    show_ranking(out, runs);
    const bool has_notes =
        std::any_of(point.begin(), point.end(), [](const ForecastOutcome& outcome) {
          return !outcome.run || !outcome.run->notes.empty();
        });
    if (has_notes) out << '\n';
    show_notes(out, runs);
  }
  for (const ForecastOutcome& outcome : point) {
    for (const std::string& problem : outcome.problems) {
      out << "  " << outcome.task.strategy << ": not forecast: " << problem << '\n';
    }
  }
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
