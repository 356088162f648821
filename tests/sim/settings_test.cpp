// SPDX-License-Identifier: Apache-2.0
// A setting that changes nothing is a bug, or should not be there.
#include "strategies/settings.hpp"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "core/job/job.hpp"
#include "core/job/setting_text.hpp"
#include "sim/forecast.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/short_catalog.hpp"

namespace epochcast::tests {
namespace {

using Settings = std::map<std::string, std::string>;

/// The job in which a setting has an effect: a base, and the value that must change its forecast.
struct Change {
  Settings base;
  std::string value;
};

const Settings kOneServer = {{"platform", "server-2cpu-8gpu"},
                             {"network", "resnet20"},
                             {"dataset", "cifar10"},
                             {"strategy", "sync"},
                             {"batch", "32"},
                             {"epochs", "5"},
                             {"deterministic", "on"}};

Settings operator+(Settings base, const Settings& more) {
  for (const auto& [name, value] : more) base[name] = value;
  return base;
}

const Settings kBiased = kOneServer + Settings{{"strategy", "biased-local-sgd"}};
const Settings kPowerSgd =
    kOneServer + Settings{{"compression", "powersgd"}, {"powersgd-start", "0"}};
const Settings kLocal = kOneServer + Settings{{"strategy", "local-sgd"}};
const Settings kStages =
    kLocal + Settings{{"period-rule", "stl-sgd"}, {"schedule", "multi-step"}, {"milestones", "2"}};
const Settings kCosine = kLocal + Settings{{"period-rule", "stl-sgd"}, {"schedule", "cosine"}};
const Settings kQsr = kLocal + Settings{{"period-rule", "qsr"}};
const Settings kNoisy = kOneServer + Settings{{"platform", "epyc-vm-2core"},
                                              {"batch", "8"},
                                              {"trace", "amd-epyc-1thread-torch1.13"},
                                              {"deterministic", "off"}};

/// The catalogue has no trace of this network.
const Settings kEstimated = {{"platform", "deep-est-esb"},
                             {"nodes", "4"},
                             {"network", "mobilenetv2"},
                             {"dataset", "imagenet"},
                             {"strategy", "sync"}};

/// A folder of 9000 tokens to train on.
const DataFolder& texts() {
  static const DataFolder folder;
  folder.write("train.bin", bytes_of(std::vector<std::uint16_t>(9000, 7)));
  folder.write("val.bin", bytes_of(std::vector<std::uint16_t>(1000, 7)));
  return folder;
}

/// A folder of 20 images of two classes to train on, whose pixels are not read.
const DataFolder& images() {
  static const DataFolder folder;
  for (const char* name : {"cat", "dog"}) {
    for (int i = 0; i < 10; ++i) folder.write(fmt::format("train/{}/{}.jpg", name, i), "");
    folder.write(fmt::format("val/{}/0.jpg", name), "");
  }
  return folder;
}

const Settings kDaso =
    kOneServer + Settings{{"platform", "deep-est-esb"}, {"nodes", "4"}, {"strategy", "daso"}};

const std::map<std::string, Change> kChanges = {
    {"platform", {kOneServer, "deep-est-dam"}},
    {"network", {kOneServer, "resnet18"}},
    {"dataset", {kOneServer, "cifar100"}},
    {"strategy", {kOneServer, "hetgrad"}},
    {"nodes", {kOneServer + Settings{{"platform", "deep-est-esb"}, {"nodes", "8"}}, "4"}},
    {"workers", {kOneServer, "gpu"}},
    {"batch", {kOneServer, "64"}},
    {"accumulate", {kOneServer, "4"}},
    {"epochs", {kOneServer + Settings{{"strategy", "dlb"}}, "2"}},
    {"all-reduce", {kOneServer, "double-binary-tree"}},
    {"overlap", {kOneServer, "bucket"}},
    {"gradient-bytes", {kOneServer, "2"}},
    {"compression", {kOneServer, "topk"}},
    {"compress-in-nodes",
     {kOneServer + Settings{{"strategy", "node-based"}, {"compression", "topk"}}, "on"}},
    {"bucket",
     {kOneServer + Settings{{"overlap", "bucket"}, {"first-bucket", "10kB"}, {"bucket", "100kB"}},
      "500kB"}},
    {"first-bucket",
     {kOneServer + Settings{{"overlap", "bucket"}, {"first-bucket", "10kB"}}, "500kB"}},
    {"partition",
     {kOneServer +
          Settings{{"strategy", "hetgrad"}, {"trace", "estimated-rtx4090,estimated-epyc-7543"}},
      "functional"}},
    {"averaging-period",
     {kOneServer +
          Settings{{"platform", "deep-est-esb"}, {"nodes", "4"}, {"strategy", "node-based"}},
      "10"}},
    {"local-steps", {kOneServer + Settings{{"strategy", "local-sgd"}}, "8"}},
    {"sampling", {kBiased, "none"}},
    {"partition-bytes", {kOneServer + Settings{{"strategy", "byteps"}}, "64kB"}},
    {"ranks-per-device", {kOneServer, "2"}},
    {"global-period", {kDaso, "8"}},
    {"global-delay", {kDaso, "0"}},
    {"group-tolerance",
     {kOneServer + Settings{{"platform", EPOCHCAST_SOURCE_DIR "/tests/sim/data/two_gpus.json"},
                            {"strategy", "gssp"}},
      "1e6"}},
    {"least-batch", {kOneServer + Settings{{"strategy", "dlb"}, {"batch", "8"}}, "0"}},
    {"train-samples", {kOneServer, "1000"}},
    {"sequence",
     {kEstimated + Settings{{"network", "bert-base"},
                            {"dataset", texts().path().string()},
                            {"sequence", "128"},
                            {"batch", "2"}},
      "384"}},
    {"image-size",
     {kEstimated + Settings{{"network", "resnet18"},
                            {"dataset", images().path().string()},
                            {"image-size", "32"},
                            {"batch", "2"}},
      "64"}},
    {"trace", {kOneServer, "estimated-rtx4090,estimated-epyc-7543"}},
    {"precision", {kEstimated, "float16"}},
    {"kernels", {kEstimated, "tuned"}},
    {"calibrate-on", {kEstimated, "estimated-v100-32gb"}},
    {"batch-seconds", {kOneServer, "gpu=10ms,cpu=20ms"}},
    {"loading-rate", {kOneServer, "1000/s"}},
    {"exchange-seconds", {kOneServer, "60ms"}},
    {"period-rule", {kStages + Settings{{"period-rule", "constant"}}, "stl-sgd"}},
    {"qsr-alpha", {kQsr, "0.9"}},
    {"learning-rate", {kQsr, "0.01"}},
    {"schedule", {kStages + Settings{{"schedule", "constant"}}, "multi-step"}},
    {"milestones", {kStages, "1"}},
    {"decay", {kStages, "0.5"}},
    {"final-rate", {kCosine, "0.5"}},
    {"warmup", {kCosine, "2"}},
    {"like", {kOneServer + Settings{{"strategy", "sync"}}, "ddp"}},
    {"seed", {kNoisy, "7"}},
    {"repetitions", {kNoisy, "3"}},
    {"deterministic", {kNoisy, "on"}},
};

/// Settings that change the learning, and by design not the time.
const std::map<std::string, Change> kOnlyAccuracy = {
    {"averaging-order",
     {kOneServer + Settings{{"platform", "deep-est-esb"},
                            {"nodes", "4"},
                            {"ranks-per-device", "2"},
                            {"strategy", "node-based"},
                            {"averaging-period", "10"}},
      "printed"}},
    {"alpha", {kBiased, "0.9"}},
    {"weighted-aggregation", {kBiased, "off"}},
    {"high-loss-to", {kBiased, "slow"}},
    {"slowmo-momentum", {kOneServer + Settings{{"strategy", "slowmo"}}, "0.5"}},
    {"slowmo-rate", {kOneServer + Settings{{"strategy", "slowmo"}}, "0.5"}},
    {"outer-momentum", {kOneServer + Settings{{"strategy", "diloco"}}, "0.5"}},
    {"outer-rate", {kOneServer + Settings{{"strategy", "diloco"}}, "0.5"}},
    {"server-rate", {kOneServer + Settings{{"strategy", "fedbuff"}}, "0.5"}},
    {"anomaly-threshold", {kOneServer + Settings{{"strategy", "time-synced"}}, "2"}},
    {"anomaly-decay", {kOneServer + Settings{{"strategy", "time-synced"}}, "0.1"}},
    {"anomaly-start", {kOneServer + Settings{{"strategy", "time-synced"}}, "20"}},
    {"staleness-rate", {kOneServer + Settings{{"strategy", "ps-async"}}, "on"}},
    {"powersgd-error-feedback", {kPowerSgd, "off"}},
    {"powersgd-warm-start", {kPowerSgd, "off"}}};

/// Settings that change the memory of workers alone, or the time to a target (cli/curves_test.cpp).
const std::set<std::string> kNotEpochs = {"zero-stage", "curves", "target"};

/// A strategy's setting has its own strategy and example.
std::optional<Change> change_of(const std::string& name) {
  if (const auto known = kChanges.find(name); known != kChanges.end()) return known->second;
  for (const Strategy& strategy : strategies()) {
    for (const StrategySetting* own : strategy.settings) {
      if (own->name == name)
        return Change{kOneServer + Settings{{"strategy", std::string(strategy.name)}},
                      std::string(own->example)};
    }
  }
  for (const CompressionMethod& method : compressions()) {
    for (const StrategySetting* own : method.settings) {
      if (own->name != name) continue;
      Settings base = kOneServer + Settings{{"compression", std::string(method.name)}};
      if (method.name == "powersgd" && name != "powersgd-start") base = kPowerSgd;
      return Change{base, std::string(own->example)};
    }
  }
  return std::nullopt;
}

/// A job of these settings, with few samples of measurements.
Job job_with(const Settings& settings) {
  JobConfig config;
  for (const auto& [name, value] : settings) all_settings().set(config, name, value, "--" + name);
  return load_job(config, short_catalog(config.network));
}

nlohmann::json forecast_with(const Settings& settings) {
  const Job job = job_with(settings);
  nlohmann::json json =
      in_process([&] { return nlohmann::json(to_json(sim::forecast(job, job.config.strategy))); });
  json.erase("config");
  return json;
}

TEST_CASE("every setting changes some forecast, except those of accuracy", "[exhaustive]") {
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    const std::string name(setting.name);
    CAPTURE(name);
    if (name == "exact") continue;  // must change nothing: acceleration_test.cpp
    if (kNotEpochs.contains(name)) continue;
    if (const auto only = kOnlyAccuracy.find(name); only != kOnlyAccuracy.end()) {
      const auto& [base, value] = only->second;
      const bool is_of_compression = !compressions_with(name).empty();
      // Else there is nothing to change.
      REQUIRE((is_of_compression || find_strategy(base.at("strategy")).has(name)));
      const nlohmann::json before = forecast_with(base);
      const nlohmann::json after = forecast_with(base + Settings{{name, value}});
      // Another order of additions to a clock changes the rounding.
      for (const char* figure : {"epoch_s", "intra_node_bytes", "inter_node_bytes"})
        CHECK(before[figure].get<double>() == Approx(after[figure].get<double>()).epsilon(1e-12));
      continue;
    }
    const auto change = change_of(name);
    REQUIRE(change.has_value());  // a new setting needs a line above
    const nlohmann::json before = forecast_with(change->base);
    const nlohmann::json after = forecast_with(change->base + Settings{{name, change->value}});
    const bool differs = before["epoch_s"] != after["epoch_s"] ||
                         before["epoch_s_interval"] != after["epoch_s_interval"];
    CHECK(differs);
  }
}

/// The forecast, or the text of the UserError that refuses it.
std::string answer_to(const Settings& settings) {
  static std::map<Settings, std::string> known;
  const auto [found, is_new] = known.emplace(settings, "");
  if (!is_new) return found->second;
  try {
    found->second = forecast_with(settings).dump();
  } catch (const UserError& error) {
    found->second = error.what();
  }
  return found->second;
}

/// Settings whose value in kChanges may equal the platform's own, or have no effect with equal
/// workers and costs without spread.
const std::set<std::string> kSameOnSome = {
    "platform",           // the platform itself
    "nodes",              // its number of nodes
    "workers",            // the only class, or the one that trains by default
    "least-batch",        // equal workers have equal batches
    "compress-in-nodes",  // one worker in each node has nobody to exchange with
    "precision",          // float16 and bfloat16 have one peak rate; tested by itself below
    "seed",               // nothing is drawn from costs without spread
    "repetitions",        // likewise
    "deterministic",      // likewise
    // Many workers make fewer steps than its value and its default.
    "oktopk-threshold-period",
    "servers",   // one beside CPUs that train
    "decay",     // many workers make few steps, which are one round by any rule
    "topology",  // two workers are each other's only peer
};

void check_settings_on(const std::vector<std::string>& platforms) {
  for (const std::string& platform : platforms) {
    const Settings here = {
        {"platform", platform}, {"train-samples", "20000"}, {"batch", "4"}, {"epochs", "3"}};
    for (const Setting& setting : all_settings().of(Command::simulate)) {
      const std::string name(setting.name);
      const std::optional<Change> change = change_of(name);
      if (!change || kOnlyAccuracy.contains(name) || kSameOnSome.contains(name)) continue;
      Settings base = change->base + here;
      base.erase("nodes");
      base.erase("trace");
      const std::string answer = answer_to(base + Settings{{name, change->value}});
      CAPTURE(platform, name, answer);
      CHECK((answer.starts_with("--") || answer.starts_with("strategy ") ||
             answer != answer_to(base)));
    }
  }
}

TEST_CASE("every setting changes a forecast or is refused, on one node and on several",
          "[exhaustive]") {
  check_settings_on({"server-2cpu-8gpu", "deep-est-dam"});
}

TEST_CASE("every setting changes a forecast or is refused, on every platform of the catalogue",
          "[long]") {
  check_settings_on(Catalog(EPOCHCAST_SOURCE_DIR).names("models/platforms"));
}

void check_precisions_on(const std::vector<std::string>& platforms) {
  for (const std::string& platform : platforms) {
    for (const std::string workers : {"", "cpu", "gpu"}) {
      Settings base = {{"platform", platform},
                       {"network", "resnet50"},
                       {"dataset", "imagenet"},
                       {"strategy", "sync"},
                       {"batch", "32"},
                       {"epochs", "1"},
                       {"train-samples", "20000"},
                       {"deterministic", "on"}};
      if (!workers.empty()) base["workers"] = workers;
      CAPTURE(platform, workers);
      std::map<std::string, std::string> settings_of_answer;
      for (const char* name : {"float32", "tf32", "float16", "bfloat16"}) {
        const std::string answer = answer_to(base + Settings{{"precision", name}});
        const auto [known, is_new] = settings_of_answer.emplace(answer, name);
        // TF32 is float32 if no device has it; peak rates of both 16-bit precisions are equal.
        const std::string pair = known->second + " " + name;
        CHECK((is_new || answer.starts_with("--workers") || pair == "float32 tf32" ||
               pair == "float16 bfloat16"));
      }
      const std::string half = answer_to(base + Settings{{"precision", "float16"}});
      CHECK(
          (half.starts_with("--") || half != answer_to(base + Settings{{"precision", "float32"}})));
      const std::string tuned = answer_to(base + Settings{{"kernels", "tuned"}});
      CHECK((tuned.starts_with("--") || tuned != answer_to(base)));
    }
  }
}

TEST_CASE("a precision or kernels are applied or refused, on GPUs with and without TF32",
          "[exhaustive]") {
  check_precisions_on({"dgx-a100", "deep-est-dam"});
}

TEST_CASE("a precision or kernels are applied or refused on every platform of the catalogue",
          "[long]") {
  check_precisions_on(Catalog(EPOCHCAST_SOURCE_DIR).names("models/platforms"));
}

TEST_CASE("precision and kernels have no effect on --batch-seconds") {
  const Settings given = kOneServer + Settings{{"batch-seconds", "gpu=10ms,cpu=20ms"}};
  CHECK(answer_to(given + Settings{{"precision", "float16"}}) ==
        "--precision: has no effect with --batch-seconds, which gives the cost of batches");
  CHECK(answer_to(given + Settings{{"kernels", "tuned"}}) ==
        "--kernels: has no effect with --batch-seconds, which gives the cost of batches");
}

/// The precision in a result.
std::string precision_with(const Settings& settings) {
  const auto precision = job_with(settings).chosen_precision();
  return precision ? show_name(*precision, kPrecisions) : "none";
}

TEST_CASE("without --precision a job takes that of its traces, else bfloat16, else tf32") {
  CHECK(precision_with(kOneServer) == "tf32");  // published run times of an RTX 4090 and CPUs
  CHECK(precision_with(kOneServer + Settings{{"workers", "cpu"}}) == "float32");
  CHECK(precision_with(kEstimated) == "float32");  // a V100 has neither bfloat16 nor TF32
  CHECK(precision_with(kEstimated + Settings{{"platform", "dgx-a100"}, {"nodes", "1"}}) ==
        "bfloat16");
  CHECK(precision_with(kOneServer + Settings{{"batch-seconds", "gpu=10ms,cpu=20ms"}}) == "none");
}

TEST_CASE("tf32 is named float32 if no device that trains has it") {
  CHECK(precision_with(kEstimated + Settings{{"precision", "tf32"}}) == "float32");
  CHECK(precision_with(kOneServer + Settings{{"precision", "tf32"}}) == "tf32");
  CHECK(precision_with(kOneServer + Settings{{"precision", "tf32"}, {"workers", "cpu"}}) ==
        "float32");
}

TEST_CASE("a measured trace in float32 counts more than an estimate in bfloat16") {
  JobConfig config;
  const Settings settings = kOneServer + Settings{{"workers", "gpu"}};
  for (const auto& [name, value] : settings) all_settings().set(config, name, value, "--" + name);
  Job job = load_job(config, Catalog(EPOCHCAST_SOURCE_DIR));
  for (CostTrace& trace : job.traces) {
    trace.precision = Precision::float32;
    trace.source.grade = Grade::measured;
  }

  CHECK(job.chosen_precision() == Precision::float32);
}

}  // namespace
}  // namespace epochcast::tests
