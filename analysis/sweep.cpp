// SPDX-License-Identifier: Apache-2.0
#include "analysis/sweep.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/process_pool.hpp"
#include "core/error.hpp"
#include "sim/forecast.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> chosen_strategies(const std::string& text) {
  std::vector<std::string> names;
  if (text == "all") {
    for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
    return names;
  }
  for (const std::string& name : split(text, ',')) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(find_strategy(name).name);
    }
  }
  return names;
}

void write_timeline(const Timeline& timeline,
                    const std::vector<WorkerInfo>& workers,
                    const RunResult& run,
                    const std::string& file) {
  std::ofstream out(file);
  timeline.write_chrome_trace(
      out, run.strategy + ": " + run.network + " on " + run.platform, workers);
  out.flush();
  if (!out) throw RunError("--timeline: " + file + " cannot be written");
}

/// What a simulating process sends home.
std::string answer(const ForecastTask& task, const Job& job, const std::string& timeline_file) {
  nlohmann::ordered_json json;
  try {
    Timeline timeline;
    std::vector<WorkerInfo> workers;
    const RunResult run =
        sim::forecast(job, task.strategy, timeline_file.empty() ? nullptr : &timeline, &workers);
    if (!timeline_file.empty()) write_timeline(timeline, workers, run, timeline_file);
    json["run"] = to_json(run);
  } catch (const UserError& error) {
    json["problems"] = error.problems();
  } catch (const std::exception& error) {
    json["failure"] = error.what();
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

SweepAxis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw UserError("--sweep: got \"" + text +
                    "\"; expected a setting and its values, such as nodes=4,8,12");
  }
  SweepAxis axis;
  axis.name = text.substr(0, equals);
  const std::string values = text.substr(equals + 1);
  axis.values = split(values, values.find(';') == std::string::npos ? ',' : ';');
  JobConfig scratch;
  for (const std::string& value : axis.values)
    set_setting(scratch, axis.name, value, "--sweep " + axis.name);
  return axis;
}

std::vector<ForecastTask> expand(const JobConfig& config, const std::vector<SweepAxis>& axes) {
  std::vector<ForecastTask> points = {{.config = config, .strategy = {}, .point = {}}};
  for (const SweepAxis& axis : axes) {
    std::vector<ForecastTask> finer;
    for (const ForecastTask& point : points) {
      for (const std::string& value : axis.values) {
        ForecastTask next = point;
        set_setting(next.config, axis.name, value, "--sweep " + axis.name);
        next.point += (next.point.empty() ? "" : ", ") + axis.name + " " + value;
        finer.push_back(std::move(next));
      }
    }
    points = std::move(finer);
  }
  std::vector<ForecastTask> tasks;
  for (const ForecastTask& point : points) {
    for (const std::string& name : chosen_strategies(point.config.strategy)) {
      tasks.push_back(point);
      tasks.back().strategy = name;
    }
  }
  return tasks;
}

std::vector<ForecastOutcome> forecast_all(const std::vector<ForecastTask>& tasks,
                                          const Catalog& catalog,
                                          const std::string& timeline_file,
                                          const std::function<void(std::size_t)>& done) {
  std::vector<ForecastOutcome> outcomes;
  std::vector<const Job*> jobs;
  // Points of a sweep mostly share their files: read each combination once, before forking.
  std::map<std::string, Job> loaded;
  for (const ForecastTask& task : tasks) {
    outcomes.push_back({.task = task, .run = std::nullopt, .problems = {}});
    std::string key;
    for (const auto& [name, value] : setting_texts(task.config))
      key += name == "strategy" ? "" : name + "=" + value + "\n";
    auto [at, is_new] = loaded.try_emplace(key);
    if (is_new) at->second = load_job(task.config, catalog);
    jobs.push_back(&at->second);
  }
  std::size_t finished = 0;
  run_in_processes(
      tasks.size(),
      std::max(1U, std::thread::hardware_concurrency()),
      [&](std::size_t i) { return answer(tasks[i], *jobs[i], timeline_file); },
      [&](std::size_t i, std::optional<std::string> text) {
        ForecastOutcome& outcome = outcomes[i];
        const auto json = nlohmann::ordered_json::parse(text.value_or("{}"), nullptr, false);
        if (json.contains("run")) {
          outcome.run = run_from_json(json["run"]);
        } else if (json.contains("problems")) {
          outcome.problems = json["problems"].get<std::vector<std::string>>();
        } else {
          outcome.has_died = true;
          outcome.problems = {
              json.value("failure", "the simulating process died without an answer")};
        }
        done(++finished);
      });
  return outcomes;
}

}  // namespace epochcast
