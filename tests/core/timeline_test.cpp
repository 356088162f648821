// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

WorkerInfo worker(int node, const char* model) {
  WorkerInfo info;
  info.node = node;
  info.model = model;
  return info;
}

nlohmann::json written(const Timeline& timeline,
                       const std::string& title,
                       const std::vector<WorkerInfo>& workers) {
  std::ostringstream out;
  timeline.write_chrome_trace(out, title, workers);
  return nlohmann::json::parse(out.str());
}

TEST_CASE("an event that took no time is not kept") {
  Timeline timeline;
  timeline.add({.worker = 0, .stream = Stream::compute, .name = "step", .start_s = 1, .end_s = 1});
  timeline.add({.worker = 0, .stream = Stream::compute, .name = "next", .start_s = 1, .end_s = 2});

  REQUIRE(timeline.events().size() == 1);
  CHECK(timeline.events()[0].name == "next");
}

TEST_CASE("a timeline is Chrome trace JSON: a process per worker, a thread per stream") {
  Timeline timeline;
  timeline.add(
      {.worker = 1, .stream = Stream::compute, .name = "forward", .start_s = 0.5, .end_s = 2});
  timeline.add({.worker = 0,
                .stream = Stream::communication,
                .name = "all-reduce",
                .start_s = 2,
                .end_s = 2.25,
                .bytes = 400});

  const nlohmann::json json = written(timeline, "sync", {worker(0, "v100"), worker(3, "xeon")});

  CHECK(json["otherData"]["title"] == "sync");
  const nlohmann::json& events = json["traceEvents"];
  REQUIRE(events.size() == 3 * 2 + 2);
  CHECK(events[0] == nlohmann::json{{"ph", "M"},
                                    {"name", "process_name"},
                                    {"pid", 0},
                                    {"tid", 0},
                                    {"args", {{"name", "worker 0 (v100, node 0)"}}}});
  CHECK(events[3]["args"]["name"] == "worker 1 (xeon, node 3)");
  CHECK(events[5]["args"]["name"] == "communication");
  CHECK(events[5]["tid"] == 1);
  CHECK(events[6] == nlohmann::json{{"ph", "X"},
                                    {"name", "forward"},
                                    {"cat", "compute"},
                                    {"pid", 1},
                                    {"tid", 0},
                                    {"ts", 0.5e6},
                                    {"dur", 1.5e6}});
  CHECK(events[7]["tid"] == 1);
  CHECK(events[7]["pid"] == 0);
  CHECK(events[7]["ts"] == 2e6);
  CHECK(events[7]["dur"] == 0.25e6);
  CHECK(events[7]["args"]["bytes"] == 400);
  CHECK(events[7]["cat"] == "communication");
}

TEST_CASE("exchanges of a worker that overlap are on threads of their own") {
  Timeline timeline;
  const auto add = [&](int rank, const std::string& name, double start_s, double end_s) {
    timeline.add({.worker = rank,
                  .stream = Stream::communication,
                  .name = name,
                  .start_s = start_s,
                  .end_s = end_s});
  };
  add(0, "third", 4, 5);
  add(0, "first", 0, 4);
  add(0, "second", 1, 2);
  add(0, "fourth", 3, 6);
  add(1, "alone", 1, 2);

  const nlohmann::json json = written(timeline, "gossip", {worker(0, "v100"), worker(0, "v100")});

  std::map<std::string, int> threads;
  std::vector<std::string> names;
  for (const nlohmann::json& event : json["traceEvents"]) {
    if (event["ph"] == "X") threads[event["name"]] = event["tid"];
    if (event["name"] == "thread_name") names.push_back(event["args"]["name"]);
  }
  CHECK(threads == std::map<std::string, int>{
                       {"first", 1}, {"second", 2}, {"third", 1}, {"fourth", 2}, {"alone", 1}});
  CHECK(names == std::vector<std::string>{
                     "compute", "communication", "communication 2", "compute", "communication"});
}

TEST_CASE("a timeline is valid JSON with any titles, models and names") {
  Timeline timeline;
  timeline.add(
      {.worker = 0, .stream = Stream::compute, .name = "a\\\"b\n", .start_s = 0, .end_s = 1e-9});

  const nlohmann::json json = written(timeline, "\"quoted\"\n", {worker(0, "x\"y")});

  CHECK(json["otherData"]["title"] == "\"quoted\"\n");
  CHECK(json["traceEvents"][0]["args"]["name"] == "worker 0 (x\"y, node 0)");
  CHECK(json["traceEvents"][3]["name"] == "a\\\"b\n");
}

TEST_CASE("a timeline without workers is empty, and valid") {
  CHECK(written(Timeline(), "", {})["traceEvents"].empty());
}

}  // namespace
}  // namespace epochcast::tests
