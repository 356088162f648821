// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson result_of(const Folder& folder, const std::string& arguments) {
  const Outcome outcome = folder.run(arguments + " --format json");
  REQUIRE(messages_of(outcome).empty());
  REQUIRE(outcome.status == 0);
  return OrderedJson::parse(outcome.out);
}

std::vector<std::string> keys_of(const OrderedJson& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

/// The recorded settings as an experiment file.
std::string experiment_of(const OrderedJson& run) {
  OrderedJson experiment = {{"schema", "epochcast.experiment/1"}};
  experiment.update(run["config"]);
  return experiment.dump();
}

TEST_CASE("a JSON result has the documented keys", "[cli]") {
  const Folder folder;
  const OrderedJson result = result_of(folder, kJob + " --strategy sync");

  CHECK(keys_of(result) == std::vector<std::string>{"schema", "runs", "provenance"});
  CHECK(result["schema"] == "epochcast.result/1");
  CHECK(keys_of(result["runs"][0]) == std::vector<std::string>{"strategy",
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
  CHECK(keys_of(result["runs"][0]["by_device"][0]) ==
        std::vector<std::string>{"class",
                                 "model",
                                 "role",
                                 "workers",
                                 "batch",
                                 "local_steps",
                                 "compute_s",
                                 "exposed_communication_s",
                                 "blocked_s"});
  CHECK(result["runs"][0]["epoch_s_interval"].is_null());
  CHECK(result["provenance"]["program"] == "epochcast " EPOCHCAST_VERSION);
  CHECK(result["provenance"]["world"] == "simulate");
}

TEST_CASE("the recorded command can be pasted into a shell", "[cli]") {
  const Folder folder;
  std::vector<std::string> arguments = words(kJob + " --strategy sync --format json");
  arguments.insert(arguments.end(), {"--set", "platform=./it's a pair.json"});
  folder.write("it's a pair.json", folder.read("pair.json"));
  const Outcome outcome = folder.run(arguments);

  REQUIRE(outcome.status == 0);
  CHECK(OrderedJson::parse(outcome.out)["provenance"]["command"] ==
        "epochcast " + kJob +
            " --strategy sync --format json --set 'platform=./it'\\''s a pair.json'");
}

TEST_CASE("phases of all strategies add up to the epoch", "[cli]") {
  const Folder folder;
  for (const std::string& job : {kJob + " --workers all --batch 32", kNoisyJob}) {
    const OrderedJson result = result_of(folder, job);
    for (const OrderedJson& run : result["runs"]) {
      CAPTURE(run["strategy"]);
      const double sum = run["compute_s"].get<double>() +
                         run["exposed_communication_s"].get<double>() +
                         run["blocked_s"].get<double>();

      // Sums of some 10,000 doubles, each rounded to 1e-16.
      CHECK(sum == Approx(run["epoch_s"].get<double>()).epsilon(1e-9));
    }
  }
}

TEST_CASE("costs with spread give an interval around the epoch", "[cli]") {
  const OrderedJson result = result_of(Folder(), kNoisyJob + " --strategy sync,dlb");
  for (const OrderedJson& run : result["runs"]) {
    REQUIRE(run["epoch_s_interval"].size() == 2);
    CHECK(run["epoch_s_interval"][0] <= run["epoch_s"]);
    CHECK(run["epoch_s"] <= run["epoch_s_interval"][1]);
  }
}

TEST_CASE("a result records every setting", "[cli]") {
  const OrderedJson config =
      result_of(Folder(),
                kNoisyJob +
                    " --strategy node-based --nodes 2 --averaging-period 5 "
                    "--workers gpu --exchange-seconds all=1s,node=1ms")["runs"][0]["config"];

  for (const char* given : {"nodes", "workers", "averaging-period", "exchange-seconds"})
    CHECK(config.contains(given));
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    CAPTURE(setting.name);
    const bool has_default = !setting.show(JobConfig()).empty() && !setting.counts_if;
    CHECK((config.contains(std::string(setting.name)) || !has_default));
  }
}

TEST_CASE("a recorded configuration, run again, gives the same result", "[cli]") {
  const Folder folder;
  const std::string job =
      kNoisyJob +
      " --nodes 2 --workers all --strategy biased-local-sgd --local-steps fast=8,slow=2 --seed 7 "
      "--overlap bucket --bucket 1.5MB --first-bucket 0.3MiB --alpha 0.1 --sampling unified "
      "--weighted-aggregation off --high-loss-to slow --all-reduce rabenseifner";
  const OrderedJson first = result_of(folder, job);
  folder.write("again.json", experiment_of(first["runs"][0]));
  const OrderedJson second = result_of(folder, "simulate --experiment again.json");

  CHECK(first["runs"].dump() == second["runs"].dump());
  CHECK(folder.run(job).out == folder.run("simulate --experiment again.json").out);
}

TEST_CASE("flags override the experiment file, --set overrides both", "[cli]") {
  const Folder folder;
  folder.write("e.json", experiment_of(result_of(folder, kJob + " --strategy sync")["runs"][0]));
  const std::string base = "simulate --experiment e.json";

  CHECK(result_of(folder, base)["runs"][0]["batch"] == 128);
  CHECK(result_of(folder, base + " --batch 64")["runs"][0]["batch"] == 64);
  CHECK(result_of(folder, base + " --set batch=32")["runs"][0]["batch"] == 32);
  CHECK(result_of(folder, base + " --batch 64 --set batch=32")["runs"][0]["batch"] == 32);
  CHECK(result_of(folder, base + " --set batch=64 --set batch=16")["runs"][0]["batch"] == 16);
}

TEST_CASE("an experiment file takes texts, numbers, switches and lists", "[cli]") {
  const Folder folder;
  folder.write(
      "e.json",
      R"({"schema": "epochcast.experiment/1", "platform": "pair.json", "network": "resnet20",
                   "dataset": "cifar10", "batch": 64, "epochs": "3", "deterministic": true,
                   "strategy": ["sync", "dlb"], "trace": ["gpu.json", "cpu.json"]})");
  const OrderedJson result = result_of(folder, "simulate --experiment e.json");

  REQUIRE(result["runs"].size() == 2);
  CHECK(result["runs"][1]["strategy"] == "dlb");
  CHECK(result["runs"][1]["batch"] == 64);
  CHECK(result["runs"][1]["epochs"] == 3);
  CHECK(result["runs"][1]["config"]["deterministic"] == "on");
}

TEST_CASE("every row of a CSV result has as many columns as the header", "[cli]") {
  const Folder folder;
  folder.write("odd.json", pair_with("\"pair\"", "\"a (pair)\""));
  const auto columns = [](const std::string& line) {
    bool is_quoted = false;
    std::size_t count = 1;
    for (const char c : line) {
      is_quoted = is_quoted != (c == '"');
      count += c == ',' && !is_quoted ? 1 : 0;
    }
    return count;
  };
  for (const std::string& job : {kJob, kNoisyJob}) {
    const std::vector<std::string> rows = lines(
        folder.run(job + " --sweep platform=pair.json,odd.json --sweep nodes=1,2 --format csv")
            .out);

    REQUIRE(rows.size() > 20);
    for (const std::string& row : rows) CHECK(columns(row) == columns(rows[0]));
  }
}

}  // namespace
}  // namespace epochcast::tests
