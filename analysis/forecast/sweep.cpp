// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/sweep.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "analysis/chakra/execution_trace.hpp"
#include "base/error.hpp"
#include "base/process/process_pool.hpp"
#include "core/job/setting_text.hpp"
#include "sim/forecast.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

void write_timeline(const Timeline& timeline,
                    const std::vector<WorkerInfo>& workers,
                    const RunResult& run,
                    const OutputFile& file) {
  file.write([&](std::ostream& out) {
    timeline.write_chrome_trace(
        out, run.strategy + ": " + run.network + " on " + run.platform, workers);
  });
}

/// Reports the amount of data in the run's notes.
void write_chakra(Recording recording, RunResult& run, const std::filesystem::path& folder) {
  run.notes.push_back("execution traces of " + std::to_string(recording.by_rank.size()) +
                      " workers: " + std::to_string(recording.actions) + " nodes of " +
                      std::to_string(run.epochs) +
                      (run.epochs == 1 ? " epoch" : " epochs; --epochs 1 makes fewer"));
  write_execution_traces(std::move(recording), folder, run.strategy);
}

/// Throws for impossible results: SimGrid fails silently for figures that it cannot handle.
void check_sane(const RunResult& run) {
  constexpr double kLongest_s = 1e12;  // 30,000 years
  if (run.epoch_s > 0 && run.epoch_s < kLongest_s && run.startup_s < kLongest_s) return;
  if (run.by_device.empty()) throw RunError("the simulation stopped before the job was done");
  throw UserError("an epoch would take " +
                  std::string(run.epoch_s > 0 ? "30,000 years or more" : "no time at all") +
                  "; look for a wrong unit among the times, bandwidths and latencies given");
}

/// Throws when more samples were requested than exist.
void check_samples(const Job& job) {
  const std::optional<std::int64_t>& asked = job.config.learning.train_samples;
  if (!asked || *asked <= job.dataset.train_samples) return;
  throw UserError("--train-samples: got " + std::to_string(*asked) + "; the data set has " +
                  std::to_string(job.dataset.train_samples));
}

/// Result that the child process returns.
std::string answer(const ForecastTask& task, const Job& job, const RecordFiles& records) {
  check_samples(job);
  Timeline timeline;
  std::vector<WorkerInfo> workers;
  Recording recording;
  RunResult run = sim::forecast(job,
                                task.strategy,
                                records.timeline.is_wanted() ? &timeline : nullptr,
                                &workers,
                                records.chakra.empty() ? nullptr : &recording);
  check_sane(run);
  if (records.timeline.is_wanted()) write_timeline(timeline, workers, run, records.timeline);
  if (!records.chakra.empty()) write_chakra(std::move(recording), run, records.chakra);
  return to_json(run).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

ForecastOutcome outcome_of(const ForecastTask& task, const TaskAnswer& reply) {
  ForecastOutcome outcome = {.task = task, .run = std::nullopt, .problems = reply.problems};
  if (reply.ending == Ending::done)
    outcome.run = run_from_json(nlohmann::ordered_json::parse(reply.text));
  if (reply.ending == Ending::killed)
    outcome.problems = {"the simulating process was " + reply.problems.front()};
  outcome.has_died = !outcome.run && reply.ending != Ending::bad_input;
  return outcome;
}

/// Throws when a strategy's setting is given, or swept, and no strategy of the sweep has it.
void check_settings_have_strategies(const std::vector<ForecastTask>& points,
                                    const std::vector<SweepAxis>& axes) {
  const auto swept = std::find_if(
      axes.begin(), axes.end(), [](const SweepAxis& axis) { return axis.name == "strategy"; });
  std::string strategies;
  for (const std::string& value : swept != axes.end() ? swept->values : std::vector<std::string>{})
    strategies += (strategies.empty() ? "" : ",") + joined(chosen_strategies(value));
  for (const ForecastTask& point : points) {
    JobConfig config = point.config;
    if (!strategies.empty()) config.strategy = strategies;
    check_strategies_have_settings(config);
    for (const SweepAxis& axis : axes)
      all_settings().check_counts_in(config, axis.name, axis.command, axis.flag + " " + axis.name);
  }
}

/// Whether a task is to be forecast here, and when; delivers it if it is kept.
class KeptTurns {
 public:
  using Deliver = std::function<void(std::size_t task, const TaskAnswer& answer)>;

  KeptTurns(const std::vector<ForecastTask>& tasks,
            const SharedJobs& jobs,
            const ForecastPlace& place,
            Deliver deliver)
      : place_(place), deliver_(std::move(deliver)), keys_(tasks.size()) {
    for (std::size_t i = 0; place.kept && i < tasks.size(); ++i) {
      if (!tasks[i].problems.empty()) continue;
      try {
        keys_[i] = place.kept->key_of(tasks[i], jobs.job_of(tasks[i].config));
      } catch (const UserError&) {
        // Reported when it is forecast.
      }
    }
  }

  [[nodiscard]] Turn of(std::size_t task) {
    const std::string& key = keys_[task];
    if (key.empty()) return Turn::start;
    if (deliver_kept(task)) return Turn::never;
    if (!place_.computes) {
      deliver_(task,
               {.ending = Ending::bad_input,
                .text = {},
                .problems = {"not forecast yet; without --on none it is"}});
      return Turn::never;
    }
    if (place_.helpers) {
      place_.helpers->check();
      return Turn::later;
    }
    if (!place_.kept->locks().try_take(key)) return Turn::later;
    // Another process may have finished it in the meantime.
    if (!deliver_kept(task)) return Turn::start;
    place_.kept->locks().release(key);
    return Turn::never;
  }

  void keep(std::size_t task, const TaskAnswer& answer) const {
    const std::string& key = keys_[task];
    if (key.empty()) return;
    if (answer.ending == Ending::done || answer.ending == Ending::bad_input)
      place_.kept->write(key, answer);
    place_.kept->locks().release(key);
  }

 private:
  bool deliver_kept(std::size_t task) {
    const std::optional<TaskAnswer> answer = place_.kept->read(keys_[task]);
    if (answer) deliver_(task, *answer);
    return answer.has_value();
  }

  const ForecastPlace& place_;
  Deliver deliver_;
  std::vector<std::string> keys_;  ///< by task; empty: it is not kept
};

}  // namespace

SweepAxis parse_axis(const std::string& text, Command command, const std::string& flag) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw UserError(flag + ": got \"" + text +
                    "\"; expected a setting and its values, such as nodes=4,8,12");
  }
  SweepAxis axis;
  axis.flag = flag;
  axis.command = command;
  axis.name = text.substr(0, equals);
  const std::string origin = flag + " " + axis.name;
  const std::string values = text.substr(equals + 1);
  axis.values = split(values, values.find(';') == std::string::npos ? ',' : ';');
  all_settings().check_counts(axis.name, command, origin);
  JobConfig scratch;
  std::set<std::string> seen;
  for (const std::string& value : axis.values) {
    all_settings().set(scratch, axis.name, value, origin);
    if (!seen.insert(value).second) throw UserError(origin + ": duplicate value \"" + value + "\"");
  }
  return axis;
}

std::vector<ForecastTask> expand(const JobConfig& config, const std::vector<SweepAxis>& axes) {
  constexpr std::size_t kMostPoints = 100'000;
  std::set<std::string> names;
  std::size_t count = 1;
  for (const SweepAxis& axis : axes) {
    if (!names.insert(axis.name).second)
      throw UserError(axis.flag + " " + axis.name + ": given more than once");
    count *= axis.values.size();
    if (count > kMostPoints) {
      throw UserError(axis.flag + ": more than " + std::to_string(kMostPoints) +
                      " combinations; sweep fewer settings at a time");
    }
  }
  std::vector<ForecastTask> points = {{.config = config, .strategy = {}}};
  for (const SweepAxis& axis : axes) {
    std::vector<ForecastTask> finer;
    for (const ForecastTask& point : points) {
      for (const std::string& value : axis.values) {
        ForecastTask next = point;
        all_settings().set(next.config, axis.name, value, axis.flag + " " + axis.name);
        next.point.push_back({axis.name, value});
        finer.push_back(std::move(next));
      }
    }
    points = std::move(finer);
  }
  check_settings_have_strategies(points, axes);
  std::vector<ForecastTask> tasks;
  for (const ForecastTask& point : points) {
    for (const std::string& name : chosen_strategies(point.config.strategy)) {
      tasks.push_back(point);
      tasks.back().strategy = name;
    }
  }
  return tasks;
}

std::vector<ForecastTask> with_overlapped_sync(const std::vector<ForecastTask>& tasks) {
  std::vector<ForecastTask> more;
  for (const ForecastTask& task : tasks) {
    more.push_back(task);
    const JobConfig& config = task.config;
    if (config.strategy != "all" || task.strategy != "sync" || config.overlap != Overlap::none)
      continue;
    more.push_back(task);
    more.back().config.overlap = Overlap::bucket;
  }
  return more;
}

void forecast_each(const std::vector<ForecastTask>& tasks,
                   const JobLoader& load,
                   const RecordFiles& records,
                   const std::function<void(std::size_t)>& done,
                   const std::function<void(const ForecastOutcome&)>& outcome) {
  SharedJobs jobs(load);
  forecast_each(tasks, jobs, records, done, outcome);
}

void forecast_each(const std::vector<ForecastTask>& tasks,
                   SharedJobs& jobs,
                   const RecordFiles& records,
                   const std::function<void(std::size_t)>& done,
                   const std::function<void(const ForecastOutcome&)>& outcome,
                   const ForecastPlace& place) {
  std::size_t finished = 0;
  std::size_t next = 0;                          // to be reported
  std::map<std::size_t, ForecastOutcome> early;  // by task: one before it has not finished
  forecast_as_finished(
      tasks,
      jobs,
      records,
      [&](std::size_t i, ForecastOutcome one) {
        early.emplace(i, std::move(one));
        done(++finished);
        for (auto first = early.begin(); first != early.end() && first->first == next; ++next) {
          outcome(first->second);
          first = early.erase(first);
        }
      },
      place);
}

void forecast_as_finished(const std::vector<ForecastTask>& tasks,
                          SharedJobs& jobs,
                          const RecordFiles& records,
                          const std::function<void(std::size_t, ForecastOutcome)>& finished,
                          const ForecastPlace& place) {
  // Points of a sweep often share their files: each combination is read once, before forking.
  for (const ForecastTask& task : tasks) jobs.read(task.config);
  const auto deliver = [&](std::size_t i, const TaskAnswer& reply) {
    finished(i, outcome_of(tasks[i], reply));
  };
  KeptTurns turns(tasks, jobs, place, deliver);
  run_in_processes(
      tasks.size(),
      std::max(1U, std::thread::hardware_concurrency()),
      [&](std::size_t i) {
        if (!tasks[i].problems.empty()) throw UserError(tasks[i].problems);
        return answer(tasks[i], jobs.job_of(tasks[i].config), records);
      },
      [&](std::size_t i, const TaskAnswer& reply) {
        turns.keep(i, reply);
        deliver(i, reply);
      },
      [&](std::size_t i) { return turns.of(i); });
}

std::vector<ForecastOutcome> forecast_jobs(const std::vector<Job>& jobs,
                                           const std::function<void(std::size_t)>& done) {
  std::vector<ForecastTask> tasks;
  tasks.reserve(jobs.size());
  for (const Job& job : jobs)
    tasks.push_back({.config = job.config, .strategy = job.config.strategy, .point = {}});
  std::vector<ForecastOutcome> outcomes(jobs.size());
  std::size_t finished = 0;
  run_in_processes(
      tasks.size(),
      std::max(1U, std::thread::hardware_concurrency()),
      [&](std::size_t i) { return answer(tasks[i], jobs[i], {}); },
      [&](std::size_t i, const TaskAnswer& reply) {
        outcomes[i] = outcome_of(tasks[i], reply);
        done(++finished);
      });
  return outcomes;
}

std::vector<ForecastOutcome> forecast_all(const std::vector<ForecastTask>& tasks,
                                          const Catalog& catalog) {
  std::vector<ForecastOutcome> outcomes;
  forecast_each(
      tasks,
      [&](const JobConfig& config) { return load_job(config, catalog); },
      {},
      [](std::size_t) {},
      [&](const ForecastOutcome& outcome) { outcomes.push_back(outcome); });
  return outcomes;
}

}  // namespace epochcast
