// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "sim/forecast.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

struct Drawn {
  std::vector<TimelineEvent> events;
  nlohmann::json chrome;  ///< the trace as written for viewers
  double job_s = 0;       ///< start-up and all epochs
  double blocked_s = 0;   ///< per epoch, mean over workers
  int workers = 0;
};

/// A run with its timeline, in a child process.
Drawn draw(const Job& job, const std::string& strategy) {
  const nlohmann::json json = in_process([&] {
    Timeline timeline;
    std::vector<WorkerInfo> workers;
    const RunResult run = sim::forecast(job, strategy, &timeline, &workers);
    std::ostringstream chrome;
    timeline.write_chrome_trace(chrome, "test", workers);
    nlohmann::json answer = {
        {"job_s", run.startup_s + run.epoch_s * static_cast<double>(run.epochs)},
        {"blocked_s", run.phases.blocked_s},
        {"workers", run.workers},
        {"chrome", nlohmann::json::parse(chrome.str())}};
    for (const TimelineEvent& event : timeline.events()) {
      answer["events"].push_back(
          {event.worker, event.stream, event.name, event.start_s, event.end_s, event.bytes});
    }
    return answer;
  });
  Drawn drawn = {.events = {},
                 .chrome = json["chrome"],
                 .job_s = json["job_s"],
                 .blocked_s = json["blocked_s"],
                 .workers = json["workers"]};
  for (const auto& event : json["events"]) {
    drawn.events.push_back({.worker = event[0],
                            .stream = event[1],
                            .name = event[2],
                            .start_s = event[3],
                            .end_s = event[4],
                            .bytes = event[5]});
  }
  return drawn;
}

/// A worker's clock over time, without communication.
std::vector<TimelineEvent> track(const Drawn& drawn, int worker) {
  std::vector<TimelineEvent> events;
  for (const TimelineEvent& event : drawn.events) {
    if (event.worker == worker && event.stream != Stream::communication) events.push_back(event);
  }
  std::ranges::sort(events, {}, &TimelineEvent::start_s);
  return events;
}

/// Starts and ends of a viewer's threads, by worker and thread, in seconds.
std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> threads_of(
    const Drawn& drawn) {
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> threads;
  for (const auto& event : drawn.chrome["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const double start_s = event["ts"].get<double>() / 1e6;
    threads[{event["pid"], event["tid"]}].push_back(
        {start_s, start_s + event["dur"].get<double>() / 1e6});
  }
  for (auto& [at, events] : threads) std::ranges::sort(events);
  return threads;
}

TEST_CASE("events of one thread follow one another and end by the job's end", "[exhaustive]") {
  for (const Strategy& strategy : strategies()) {
    for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
      CAPTURE(strategy.name, overlap);
      Job job = job_on(mixed(2, 2, 1, pcie(), star()), 6 * 8 * 8);
      job.config.overlap = overlap;
      if (refuses_overlap(job, std::string(strategy.name))) continue;

      const Drawn drawn = draw(job, std::string(strategy.name));

      constexpr double kRounding_s = 1e-8;
      double last_s = 0;
      for (const auto& [at, events] : threads_of(drawn)) {
        double free_s = 0;
        for (const auto& [start_s, end_s] : events) {
          CAPTURE(at, start_s);
          CHECK(start_s >= free_s - kRounding_s);
          CHECK(end_s > start_s);
          free_s = end_s;
        }
        last_s = std::max(last_s, free_s);
      }
      CHECK(last_s == Approx(drawn.job_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("a viewer shows one process per worker with a track per stream, and every event on one") {
  const Job job = job_on(mixed(2, 1, 1, pcie(), star()), 4 * 8 * 8);

  const Drawn drawn = draw(job, "sync");

  std::set<std::pair<int, int>> named;
  std::set<std::pair<int, int>> used;
  std::size_t events = 0;
  for (const auto& event : drawn.chrome["traceEvents"]) {
    const std::pair<int, int> at = {event["pid"], event["tid"]};
    if (event["ph"] == "X") {
      used.insert(at);
      ++events;
    } else if (event["name"] == "thread_name") {
      named.insert(at);
    }
  }
  CHECK(named.size() == 4 * 2);
  CHECK(used == named);
  CHECK(events == drawn.events.size());
}

TEST_CASE("the timeline shows the iterations that were run and the number of omitted ones") {
  const Job job = job_on(mixed(2, 1, 0, pcie(), star()), 2 * 8 * 50);

  const Drawn drawn = draw(job, "sync");

  const std::vector<TimelineEvent> computing = track(drawn, 0);
  const auto named = [&](const std::string& name) {
    return std::ranges::count(computing, name, &TimelineEvent::name);
  };
  CHECK(named("47 more like this") == 3);  // 3 of 50 iterations are run, in 3 of 6 epochs
  CHECK(named("3 more like this") == 1);   // epochs
  CHECK(named("forward") == 3 * 3);
}

TEST_CASE("the timeline's blocked time of each worker equals that of the result") {
  Job job = job_on(mixed(2, 1, 1, pcie(), star()), 4 * 8 * 2);
  job.config.exact = true;

  const Drawn drawn = draw(job, "sync");

  double blocked_s = 0;
  for (const TimelineEvent& event : drawn.events) {
    if (event.stream == Stream::blocked) blocked_s += event.end_s - event.start_s;
  }
  const double epochs = static_cast<double>(job.config.epochs);
  CHECK(blocked_s > 0);
  CHECK(blocked_s / drawn.workers / epochs == Approx(drawn.blocked_s).epsilon(1e-6));
}

TEST_CASE("messages are shown from when both ends have started them, with bytes") {
  Job job = job_on(mixed(2, 1, 0, pcie(), star()), 2 * 8 * 4);
  job.config.exact = true;

  for (const auto& [strategy, name] :
       {std::pair("gossip", "send to 1"), std::pair("ps-async", "receive from 2")}) {
    CAPTURE(strategy);
    const Drawn drawn = draw(job, strategy);
    const auto shown = [&, name = std::string(name)](const TimelineEvent& event) {
      return event.stream == Stream::communication && event.worker == 0 && event.name == name &&
             event.bytes > 0;
    };
    CHECK(std::ranges::count_if(drawn.events, shown) > 0);
  }
}

TEST_CASE("all-reduces inside nodes and between them have different names, and bytes") {
  const Job job = job_on(mixed(2, 2, 0, pcie(), star()), 4 * 8 * 4);

  const Drawn drawn = draw(job, "node-based");

  std::set<std::string> names;
  for (const TimelineEvent& event : drawn.events) {
    if (event.stream != Stream::communication || !event.name.starts_with("all-reduce")) continue;
    names.insert(event.name);
    CHECK(event.bytes > 0);
  }
  CHECK(names.count("all-reduce inside node 0") == 1);
  CHECK(names.count("all-reduce inside node 1") == 1);
  CHECK(names.size() > 2);
}

}  // namespace
}  // namespace epochcast::tests
