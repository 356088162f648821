// SPDX-License-Identifier: Apache-2.0
#include "results/running_bill.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

PowerDraw draws(double idle_w, double busy_w) {
  return {.idle_w = idle_w, .busy_w = busy_w, .source = {.grade = Grade::published}};
}

DeviceGroup device_drawing(const char* device_class, const char* model, const PowerDraw& power) {
  DeviceGroup device;
  device.device_class = device_class;
  device.model = model;
  device.power = power;
  return device;
}

/// Three nodes of a GPU that draws 50 to 250 W, a CPU of 20 to 100 W, and 100 to 150 W for the
/// rest, for 3.60 USD an hour each.
Platform priced_box() {
  NodeGroup nodes;
  nodes.name = "fat";
  nodes.count = 3;
  nodes.devices = {device_drawing("gpu", "g", draws(50, 250)),
                   device_drawing("cpu", "c", draws(20, 100))};
  nodes.power = draws(100, 150);
  nodes.price = NodePrice{.rate = {3.6, "USD"}, .source = {.grade = Grade::published}};
  Platform platform;
  platform.nodes = {nodes};
  return platform;
}

/// Two nodes for three epochs of 10 s and a start of 5 s; GPUs compute for 6 s of an epoch.
RunResult run_on_gpus() {
  RunResult run;
  run.nodes = 2;
  run.workers = 2;
  run.epochs = 3;
  run.epoch_s = 10;
  run.startup_s = 5;
  run.input_grade = Grade::measured;
  run.by_device = {{.device_class = "gpu",
                    .model = "g",
                    .role = "trains",
                    .workers = 2,
                    .batch = 32,
                    .local_steps = 1,
                    .phases = {.compute_s = 6, .exposed_communication_s = 3, .blocked_s = 1}}};
  return run;
}

RunResult billed(RunResult run, const Platform& platform, JobConfig config = {}) {
  config.nodes = run.nodes;
  add_running_bill(run, platform, config);
  return run;
}

TEST_CASE("the price is that of all nodes for the whole time of the job") {
  const RunResult run = billed(run_on_gpus(), priced_box());

  REQUIRE(run.cost);
  CHECK(run.cost->rate == Price{7.2, "USD"});
  CHECK(run.cost->rate.of(run.epoch_s) == Approx(0.02));  // 10 s of 7.20 USD/h
  CHECK(run.cost->rate.of(run.job_s()) == Approx(0.07));  // 5 + 3 · 10 s
  CHECK(run.cost->grade == Grade::published);
}

TEST_CASE("devices draw busy power while they compute, idle power while they wait or exchange") {
  const RunResult run = billed(run_on_gpus(), priced_box());

  REQUIRE(run.energy);
  // A node: GPU 50 + 0.6 · 200, CPU without a worker 20, the rest 100 + 0.6 · 50.
  CHECK(run.energy->epoch_j == Approx(2 * (170 + 20 + 130) * 10.0));
  CHECK(run.energy->idle_w == Approx(2 * (50 + 20 + 100)));
  CHECK(run.job_j() == Approx(2 * 170 * 5.0 + 3 * 6400.0));  // workers wait during start-up
  CHECK(run.training_j(25) == Approx(2.5 * 6400));
}

TEST_CASE("workers that share a device draw the power of one device") {
  RunResult run = run_on_gpus();
  run.workers = 4;
  run.by_device[0].workers = 4;
  JobConfig config;
  config.ranks_per_device = 2;

  CHECK(billed(run, priced_box(), config).energy == billed(run_on_gpus(), priced_box()).energy);
}

TEST_CASE("a device that works in some nodes only is idle in the others") {
  RunResult run = run_on_gpus();
  run.by_device[0].workers = 1;

  // 0.6 of an epoch by one of two GPUs: 0.3 on average.
  CHECK(billed(run, priced_box()).energy->epoch_j ==
        Approx(2 * (50 + 0.3 * 200 + 20 + 100 + 0.3 * 50) * 10.0));
}

TEST_CASE("the grade of a bill is the lowest of prices, powers and times") {
  Platform platform = priced_box();
  platform.nodes[0].price->source.grade = Grade::estimated;
  CHECK(billed(run_on_gpus(), platform).cost->grade == Grade::estimated);
  CHECK(billed(run_on_gpus(), platform).energy->grade == Grade::published);

  RunResult guessed = run_on_gpus();
  guessed.input_grade = Grade::estimated;
  CHECK(billed(guessed, platform).energy->grade == Grade::estimated);
}

TEST_CASE("without prices there is no bill; with some, a note names those that are missing") {
  Platform platform = priced_box();
  platform.nodes[0].devices[1].power.reset();
  platform.nodes.push_back(platform.nodes[0]);
  platform.nodes[0].count = 1;
  platform.nodes[1].name = "thin";
  platform.nodes[1].price.reset();

  const RunResult run = billed(run_on_gpus(), platform);
  CHECK_FALSE(run.cost);
  CHECK_FALSE(run.energy);
  CHECK(run.notes ==
        std::vector<std::string>{"no cost: the platform has no price of the nodes \"thin\"",
                                 "no energy: these devices have no power in their file: \"c\""});

  RunResult unknown = run_on_gpus();
  add_running_bill(unknown, {}, {});
  CHECK_FALSE(unknown.cost);
  CHECK(unknown.notes.empty());
}

TEST_CASE("nodes that the job does not occupy need no price") {
  Platform platform = priced_box();
  platform.nodes.push_back(platform.nodes[0]);
  platform.nodes[1].price.reset();

  CHECK(billed(run_on_gpus(), platform).cost->rate.per_hour == 7.2);
}

TEST_CASE("cost and energy are in the result's JSON, with intervals if time has one") {
  RunResult run = run_on_gpus();
  run.epoch_s_interval = Interval{.low_s = 9, .high_s = 12};
  const nlohmann::ordered_json json = to_json(billed(run, priced_box()));

  CHECK(json["cost"]["currency"] == "USD");
  CHECK(json["cost"]["epoch"].get<double>() == Approx(0.02));
  CHECK(json["cost"]["epoch_interval"][0].get<double>() == Approx(0.018));
  CHECK(json["cost"]["epoch_interval"][1].get<double>() == Approx(0.024));
  CHECK(json["cost"]["job"].get<double>() == Approx(0.07));
  CHECK(json["cost"]["grade"] == "published");
  CHECK(json["energy"]["epoch_j_interval"][1].get<double>() == Approx(6400 * 1.2));
  CHECK(json["energy"]["job_j"].get<double>() == Approx(20900));

  CHECK_FALSE(to_json(run_on_gpus()).contains("cost"));
}

}  // namespace
}  // namespace epochcast::tests
