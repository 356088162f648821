// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "core/job/platform_figures.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr Names<Scaling, 2> kScalings = {{{"weak", Scaling::weak}, {"strong", Scaling::strong}}};

/// The common part of tasks that differ only in their workers.
std::string series_of(const ForecastTask& task) {
  std::string series = task.strategy;
  if (task.config.overlap == Overlap::bucket) series += "+";
  for (const SettingText& setting : task.point) {
    if (!changes_workers(setting.name)) series.append("\n" + setting.name + "=" + setting.value);
  }
  return series;
}

void check_sweep(const std::vector<ForecastTask>& tasks) {
  const bool has_axis = std::any_of(tasks.begin(), tasks.end(), [](const ForecastTask& task) {
    return std::any_of(task.point.begin(), task.point.end(), [](const SettingText& setting) {
      return changes_workers(setting.name);
    });
  });
  if (!has_axis)
    throw UserError(
        "--scaling: compares numbers of workers; expected --sweep of nodes, of a count such as "
        "node.devices, or of ranks-per-device");
}

/// Tasks with a run, by series, the fewest workers first.
std::map<std::string, std::vector<std::size_t>> series_in(
    const std::vector<ForecastOutcome>& outcomes) {
  std::map<std::string, std::vector<std::size_t>> series;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].run) series[series_of(outcomes[i].task)].push_back(i);
  }
  for (auto& [name, points] : series) {
    std::stable_sort(points.begin(), points.end(), [&](std::size_t a, std::size_t b) {
      return outcomes[a].run->trainers() < outcomes[b].run->trainers();
    });
  }
  return series;
}

std::int64_t global_batch(const RunResult& run) { return run.trainers() * run.batch; }

}  // namespace

Scaling parse_scaling(const std::string& text) {
  try {
    return parse_name(text, kScalings);
  } catch (const UserError& error) {
    throw UserError(std::string("--scaling: ") + error.what());
  }
}

std::int64_t trainers(const std::vector<WorkerInfo>& workers) {
  return std::count_if(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
    return worker.role == Role::trains;
  });
}

bool changes_workers(const std::string& setting) {
  return setting == "nodes" || setting == "workers" || setting == "ranks-per-device" ||
         (is_figure(setting) && kind_of_figure(setting) == FigureKind::count);
}

JobConfig strongly_scaled(JobConfig config, std::int64_t global_batch, std::int64_t workers) {
  if (workers > global_batch)
    throw UserError("a global batch of " + std::to_string(global_batch) + " leaves some of " +
                    std::to_string(workers) + " workers without a sample");
  config.batch = std::llround(static_cast<double>(global_batch) / static_cast<double>(workers));
  return config;
}

std::vector<ForecastTask> scaled(const std::vector<ForecastTask>& tasks,
                                 Scaling scaling,
                                 SharedJobs& jobs) {
  check_sweep(tasks);
  if (scaling == Scaling::weak) return tasks;
  struct Smallest {
    std::int64_t workers = 0;
    std::int64_t global_batch = 0;
  };
  std::map<std::string, Smallest> smallest;
  std::vector<std::optional<std::int64_t>> workers;
  for (const ForecastTask& task : tasks) {
    std::optional<std::int64_t>& count = workers.emplace_back();
    try {
      jobs.read(task.config);
      const Job job = jobs.job_of(task.config);
      if (!job.platform.simgrid_xml.empty())
        throw UserError(
            "--scaling strong: the number of workers is unknown before the simulation of " +
            job.platform.simgrid_xml + "; describe the cluster as JSON");
      count = trainers(workers_of(job, find_strategy(task.strategy)));
    } catch (const UserError&) {
      continue;  // reported with the forecast
    }
    Smallest& least = smallest[series_of(task)];
    if (least.workers == 0 || *count < least.workers)
      least = {.workers = *count, .global_batch = *count * task.config.batch};
  }
  std::vector<ForecastTask> divided = tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!workers[i]) continue;
    try {
      divided[i].config = strongly_scaled(
          tasks[i].config, smallest.at(series_of(tasks[i])).global_batch, *workers[i]);
    } catch (const UserError& error) {
      divided[i].problems = error.problems();
    }
  }
  return divided;
}

void add_speed_ups(std::vector<ForecastOutcome>& outcomes, Scaling scaling) {
  for (const auto& [name, points] : series_in(outcomes)) {
    const RunResult base = *outcomes[points.front()].run;
    std::size_t knee = points.front();
    double highest = 0;
    for (const std::size_t point : points) {
      RunResult& run = *outcomes[point].run;
      const double speed_up = base.dataset_s() / run.dataset_s();
      run.scaling = ScalingFigures{.speed_up = speed_up,
                                   .efficiency = speed_up * base.trainers() / run.trainers()};
      const std::int64_t batch = global_batch(run);
      if (scaling == Scaling::strong && batch != global_batch(base))
        run.notes.push_back("the global batch is " + std::to_string(batch) + ", not " +
                            std::to_string(global_batch(base)) + ", as each worker has " +
                            std::to_string(run.batch));
      const double ratio = run.scaling->efficiency / run.dataset_s();
      if (ratio <= highest) continue;
      highest = ratio;
      knee = point;
    }
    if (knee != points.back()) outcomes[knee].run->scaling->is_knee = true;
  }
}

}  // namespace epochcast
