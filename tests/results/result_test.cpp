// SPDX-License-Identifier: Apache-2.0
#include "results/result.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "results/result_file.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

RunResult full_run() {
  RunResult run;
  run.strategy = "byteps";
  run.platform = "box";
  run.network = "tiny";
  run.dataset = "dots";
  run.nodes = 4;
  run.workers = 12;
  run.batch = 32;
  run.epochs = 100;
  run.iterations_per_epoch = 390;
  run.rounds_per_epoch = 13;
  run.samples_per_epoch = 33024;
  run.train_samples = 50000;
  run.epoch_s = 51.1;
  run.epoch_s_interval = Interval{.low_s = 50.2, .high_s = 52.3};
  run.startup_s = 0.7;
  run.phases = {.compute_s = 40.1, .exposed_communication_s = 10.5, .blocked_s = 0.5};
  run.intra_node_bytes = 1e12 / 3;
  run.inter_node_bytes = 2.5e11;
  run.input_grade = Grade::published;
  run.notes = {"extrapolated", "imbalance 3 %"};
  run.by_device = {{.device_class = "gpu",
                    .model = "v100",
                    .role = "trains",
                    .workers = 8,
                    .batch = 32,
                    .local_steps = 16,
                    .phases = {.compute_s = 1, .exposed_communication_s = 2, .blocked_s = 3}},
                   {.device_class = "cpu",
                    .model = "xeon",
                    .role = "sums",
                    .workers = 4,
                    .batch = 0,
                    .local_steps = 0,
                    .phases = {.compute_s = 4, .exposed_communication_s = 5, .blocked_s = 6}}};
  run.config = {{"platform", "box"}, {"batch", "32"}};
  return run;
}

RunResult reread(const RunResult& run) {
  return run_from_json(nlohmann::ordered_json::parse(to_json(run).dump()));
}

TEST_CASE("workers that only aggregate do not train; without device results, all train") {
  RunResult run = full_run();
  CHECK(run.trainers() == 8);

  run.by_device.clear();
  CHECK(run.trainers() == 12);
}

TEST_CASE("a result is the same after it was written and read back") {
  const RunResult run = full_run();

  const RunResult again = reread(run);

  CHECK(to_json(again) == to_json(run));
  CHECK(again.strategy == "byteps");
  CHECK(again.epochs == 100);
  CHECK(again.rounds_per_epoch == 13);
  CHECK(again.samples_per_epoch == 33024);
  CHECK(again.train_samples == 50000);
  CHECK(again.epoch_s == 51.1);
  REQUIRE(again.epoch_s_interval);
  CHECK(again.epoch_s_interval->low_s == 50.2);
  CHECK(again.epoch_s_interval->high_s == 52.3);
  CHECK(again.startup_s == 0.7);
  CHECK(again.phases.blocked_s == 0.5);
  CHECK(again.intra_node_bytes == 1e12 / 3);
  CHECK(again.input_grade == Grade::published);
  CHECK(again.notes == run.notes);
  REQUIRE(again.by_device.size() == 2);
  CHECK(again.by_device[1].role == "sums");
  CHECK(again.by_device[0].local_steps == 16);
  CHECK(again.by_device[0].phases.exposed_communication_s == 2);
  REQUIRE(again.config.size() == 2);
  CHECK(again.config[0].name == "platform");  // in the order of the settings, not of the alphabet
  CHECK(again.config[1].value == "32");
}

/// The error for the file of this run, "a.json", with another value at a place of the run.
std::string problem_with(const RunResult& run,
                         const std::string& place,
                         const nlohmann::ordered_json& value) {
  nlohmann::ordered_json document = to_json({run}, "epochcast train", Command::train);
  document[nlohmann::ordered_json::json_pointer("/runs/0" + place)] = value;
  try {
    static_cast<void>(read_results(document, "a.json"));
  } catch (const UserError& error) {
    REQUIRE(error.problems().size() == 1);
    return error.problems().front();
  }
  return {};
}

TEST_CASE("a run without epochs, samples or seconds is refused") {
  const RunResult run = full_run();

  CHECK(problem_with(run, "/epochs", 1).empty());
  CHECK(problem_with(run, "/epochs", 0) ==
        "a.json: /runs/0/epochs: got 0; expected one epoch at least");
  CHECK(problem_with(run, "/train_samples", 0) ==
        "a.json: /runs/0/train_samples: got 0; expected one sample at least");
  CHECK(problem_with(run, "/epoch_s", 0) ==
        "a.json: /runs/0/epoch_s: got 0; expected more than 0 s");
}

TEST_CASE("batch times before and after training are kept if they were timed") {
  RunResult run = full_run();
  CHECK_FALSE(to_json(run).contains("timed_batches"));
  run.timed_batches = {{.rank = 0, .before_s = 0.1, .after_s = 0.2},
                       {.rank = 2, .before_s = 0.3, .after_s = 0.4}};

  CHECK(reread(run).timed_batches == run.timed_batches);
}

TEST_CASE("the staleness of gradients is kept if there is any, the server's load if it is known") {
  RunResult run = full_run();
  CHECK_FALSE(to_json(run).contains("asynchrony"));
  run.asynchrony = {.mean_staleness = 1.25,
                    .staleness_95 = 2,
                    .most_staleness = 3,
                    .staleness_shares = {0.25, 0.5, 0, 0.25},
                    .samples_by_worker = {96, 32}};
  CHECK(reread(run).asynchrony == run.asynchrony);
  CHECK(problem_with(run, "/asynchrony/most_staleness", 4).empty());
  CHECK_THAT(problem_with(run, "/asynchrony/staleness_shares/1", -0.5),
             Catch::StartsWith("a.json: /runs/0/asynchrony/staleness_shares/1"));

  run.asynchrony->server_load = 0.75;
  CHECK(reread(run).asynchrony == run.asynchrony);
  CHECK_THAT(problem_with(run, "/asynchrony/server_load", "much"),
             Catch::StartsWith("a.json: /runs/0/asynchrony/server_load"));
}

TEST_CASE("problems of timed batches are reported with their path") {
  RunResult run = full_run();
  run.timed_batches = {{.rank = 0, .before_s = 0.1, .after_s = 0.2}};
  const std::string timed = "a.json: /runs/0/timed_batches";
  CHECK(problem_with(run, "/timed_batches/0/rank", 1).empty());
  CHECK_THAT(problem_with(run, "/timed_batches", 7), Catch::StartsWith(timed));
  CHECK_THAT(problem_with(run, "/timed_batches/0/before_s", -1),
             Catch::StartsWith(timed + "/0/before_s"));
  CHECK_THAT(problem_with(run, "/timed_batches/0/after_s", "x"),
             Catch::StartsWith(timed + "/0/after_s"));
}

TEST_CASE("exchange times before and after training are kept if they were timed") {
  RunResult run = full_run();
  CHECK_FALSE(to_json(run).contains("timed_exchanges"));
  run.timed_exchanges = {
      .all_reduce = "ring", .bytes = 4096, .before_s = {0.5, 0.25}, .after_s = {}};

  CHECK(reread(run).timed_exchanges == run.timed_exchanges);
}

TEST_CASE("problems of timed exchanges are reported with their path") {
  RunResult run = full_run();
  run.timed_exchanges = {.all_reduce = "ring", .bytes = 4, .before_s = {1, 2}, .after_s = {3}};
  const std::string timed = "a.json: /runs/0/timed_exchanges";
  CHECK(problem_with(run, "/timed_exchanges/bytes", 8).empty());
  for (const char* place : {"", "/all_reduce", "/bytes", "/before_s", "/before_s/1", "/after_s/0"})
    CHECK_THAT(problem_with(run, "/timed_exchanges" + std::string(place), -1),
               Catch::StartsWith(timed + place));
  CHECK_THAT(problem_with(run, "/timed_exchanges/more", 1), Catch::StartsWith(timed));
}

TEST_CASE("every grade, an absent interval and an empty configuration are read back") {
  for (const Grade grade : {Grade::measured, Grade::published, Grade::estimated}) {
    RunResult run;
    run.input_grade = grade;

    const RunResult again = reread(run);

    CHECK(again.input_grade == grade);
    CHECK_FALSE(again.epoch_s_interval);
    CHECK(again.config.empty());
  }
}

TEST_CASE("the result's JSON has the documented keys, in a stable order") {
  const nlohmann::ordered_json json = to_json({full_run()}, "epochcast simulate --batch 32");

  CHECK(json["schema"] == "epochcast.result/1");
  REQUIRE(json["runs"].size() == 1);
  CHECK(json["provenance"]["command"] == "epochcast simulate --batch 32");
  CHECK(json["provenance"]["world"] == "simulate");
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["runs"][0].items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"strategy",
                                         "platform",
                                         "network",
                                         "dataset",
                                         "nodes",
                                         "workers",
                                         "batch",
                                         "epochs",
                                         "iterations_per_epoch",
                                         "rounds_per_epoch",
                                         "samples_per_epoch",
                                         "train_samples",
                                         "epoch_s",
                                         "epoch_s_interval",
                                         "startup_s",
                                         "compute_s",
                                         "exposed_communication_s",
                                         "blocked_s",
                                         "intra_node_bytes",
                                         "inter_node_bytes",
                                         "input_grade",
                                         "notes",
                                         "by_device",
                                         "config"});
  CHECK(json["runs"][0]["epoch_s_interval"] == nlohmann::ordered_json::array({50.2, 52.3}));
}

TEST_CASE("a missing interval is null in JSON, no runs are an empty list") {
  RunResult run = full_run();
  run.epoch_s_interval.reset();

  CHECK(to_json(run)["epoch_s_interval"].is_null());
  CHECK(to_json(std::vector<RunResult>{}, "")["runs"].is_array());
}

}  // namespace
}  // namespace epochcast::tests
