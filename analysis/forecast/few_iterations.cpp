// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/few_iterations.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/process/process_pool.hpp"
#include "sim/forecast.hpp"
#include "strategies/run_name.hpp"

namespace epochcast {
namespace {

std::vector<TimelineEvent> first_of(std::vector<TimelineEvent> events, std::size_t most) {
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    return a.start_s < b.start_s;
  });
  // Events after an iteration that represents many others are omitted.
  const auto omitted = std::find_if(events.begin(), events.end(), [](const auto& event) {
    return event.stream == Stream::omitted;
  });
  if (omitted != events.end()) {
    const double until_s = omitted->start_s;
    std::erase_if(events, [&](const auto& event) {
      return event.start_s >= until_s || event.stream == Stream::omitted;
    });
  }
  events.resize(std::min(events.size(), most));
  return events;
}

nlohmann::ordered_json drawn(const RunResult& run,
                             const std::vector<WorkerInfo>& workers,
                             const Timeline& timeline,
                             std::size_t most_events) {
  const std::vector<TimelineEvent> events = first_of(timeline.events(), most_events);
  nlohmann::ordered_json json = {{"name", run_name(run)},
                                 {"workers", nlohmann::ordered_json::array()},
                                 {"streams", nlohmann::ordered_json::array()},
                                 {"names", nlohmann::ordered_json::array()},
                                 {"is_whole", events.size() == timeline.events().size()},
                                 {"events", nlohmann::ordered_json::array()}};
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    json["workers"].push_back(std::to_string(rank) + ": " + workers[rank].model + ", node " +
                              std::to_string(workers[rank].node));
  }
  for (const Stream stream : {Stream::compute, Stream::communication, Stream::blocked})
    json["streams"].push_back(to_string(stream));
  std::map<std::string, std::size_t> places;
  for (const TimelineEvent& event : events) {
    const auto [place, is_new] = places.try_emplace(event.name, places.size());
    if (is_new) json["names"].push_back(event.name);
    json["events"].push_back({event.worker,
                              static_cast<int>(event.stream),
                              place->second,
                              event.start_s,
                              event.end_s,
                              event.bytes});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json few_iterations(const std::vector<ForecastTask>& tasks,
                                      SharedJobs& jobs,
                                      std::size_t most_events) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ForecastTask& task : tasks) jobs.read(task.config);
  std::vector<nlohmann::ordered_json> by_task(tasks.size());
  run_in_processes(
      tasks.size(),
      std::max(1U, std::thread::hardware_concurrency()),
      [&](std::size_t i) {
        Job job = jobs.job_of(tasks[i].config);
        job.config.deterministic = true;
        job.config.exact = false;
        Timeline timeline;
        std::vector<WorkerInfo> workers;
        const RunResult run = sim::forecast(job, tasks[i].strategy, &timeline, &workers);
        return drawn(run, workers, timeline, most_events)
            .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      },
      [&](std::size_t i, const TaskAnswer& reply) {
        if (reply.ending == Ending::done) by_task[i] = nlohmann::ordered_json::parse(reply.text);
      });
  for (nlohmann::ordered_json& each : by_task) {
    if (!each.is_null()) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace epochcast
