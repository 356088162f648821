// SPDX-License-Identifier: Apache-2.0
#include "strategies/settings.hpp"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

struct Change {
  std::string job;
  std::string flag;  ///< with a value that must change the forecast
};

const std::string kTwoClasses = kJob + " --workers all --batch 32";
const std::string kBiased =
    kTwoClasses + " --strategy biased-local-sgd --local-steps fast=32,slow=1";
const std::string kPowerSgd = kJob + " --strategy sync --compression powersgd --powersgd-start 0";
const std::string kBuckets = kJob + " --strategy sync --overlap bucket --first-bucket 10kB";
const std::string kFiles = " --network resnet20 --dataset cifar10 --epochs 2 --strategy sync";

const std::string kLocal = kTwoClasses + " --strategy local-sgd";
const std::string kStages = kLocal + " --period-rule stl-sgd --schedule multi-step --milestones 1";
const std::string kCosine = kLocal + " --period-rule stl-sgd --schedule cosine";

/// The catalogue has no trace of this network.
const std::string kEstimated =
    "simulate --platform deep-est-esb --nodes 2 --strategy sync --epochs 1 --network mobilenetv2 "
    "--dataset imagenet";

/// For each setting, a job whose forecast it changes.
const std::map<std::string, Change> kChanges = {
    {"platform", {"simulate --batch-seconds gpu=1s --nodes 2" + kFiles, "--platform deep-est-esb"}},
    {"network", {kJob, "--network resnet18"}},
    {"dataset", {kJob, "--dataset cifar100"}},
    {"strategy", {kJob, "--strategy sync"}},
    {"nodes", {kJob, "--nodes 1"}},
    {"workers", {kJob + " --strategy sync", "--workers all"}},
    {"batch", {kJob, "--batch 64"}},
    {"accumulate", {kJob, "--accumulate 4"}},
    {"epochs", {kJob, "--epochs 3"}},
    {"all-reduce", {kTwoClasses + " --strategy sync", "--all-reduce binary-tree"}},
    {"overlap", {kJob + " --strategy sync", "--overlap bucket"}},
    {"loading-rate", {kJob + " --strategy sync", "--loading-rate 10/s"}},
    {"gradient-bytes", {kJob + " --strategy sync", "--gradient-bytes 2"}},
    {"compression", {kJob + " --strategy sync", "--compression topk"}},
    {"compress-in-nodes",
     {kTwoClasses + " --strategy node-based --compression topk", "--compress-in-nodes on"}},
    {"bucket", {kBuckets, "--bucket 100kB"}},
    {"first-bucket", {kJob + " --strategy sync --overlap bucket", "--first-bucket 10kB"}},
    {"partition",
     {"simulate --platform pair.json --trace gpu.json,cpu.json --workers all --batch 30 "
      "--deterministic --strategy hetgrad --network resnet20 --dataset cifar10",
      "--partition functional"}},
    {"ranks-per-device",
     {"simulate --platform deep-est-esb --nodes 2" + kFiles, "--ranks-per-device 2"}},
    {"group-tolerance",
     {"simulate --platform two-gpus.json --network resnet20 --dataset cifar10 --epochs 2 --batch "
      "32 "
      "--strategy gssp",
      "--group-tolerance 1e6"}},
    {"least-batch", {kTwoClasses + " --strategy dlb", "--least-batch 30"}},
    {"train-samples", {kJob, "--train-samples 5000"}},
    {"sequence",
     {"simulate --platform deep-est-esb --nodes 2 --strategy sync --epochs 1 --batch 2 --network "
      "bert-base --dataset texts --sequence 128",
      "--sequence 384"}},
    {"image-size",
     {"simulate --platform deep-est-esb --nodes 2 --strategy sync --epochs 1 --batch 2 --network "
      "resnet18 --dataset photos --image-size 32",
      "--image-size 64"}},
    {"averaging-period", {kJob + " --strategy node-based", "--averaging-period 10"}},
    {"local-steps", {kJob + " --strategy local-sgd", "--local-steps 10"}},
    {"sampling", {kBiased, "--sampling none"}},
    {"partition-bytes", {kJob + " --strategy byteps", "--partition-bytes 10kB"}},
    {"trace",
     {"simulate --platform pair.json --batch 64" + kFiles + " --trace gpu.json",
      "--trace slow.json"}},
    {"precision", {kEstimated, "--precision float16"}},
    {"kernels", {kEstimated, "--kernels tuned"}},
    {"calibrate-on", {kEstimated, "--calibrate-on estimated-v100-32gb"}},
    {"batch-seconds", {kJob, "--batch-seconds gpu=2s,cpu=3s"}},
    {"exchange-seconds", {kJob + " --strategy sync", "--exchange-seconds 1s"}},
    {"like", {kJob + " --strategy sync", "--like ddp"}},
    {"period-rule", {kStages, "--period-rule qsr"}},
    {"qsr-alpha", {kLocal + " --period-rule qsr", "--qsr-alpha 0.9"}},
    {"learning-rate", {kLocal + " --period-rule qsr", "--learning-rate 0.01"}},
    {"schedule", {kStages, "--schedule cosine"}},
    {"milestones", {kStages, "--milestones 2"}},
    {"decay", {kStages, "--decay 0.5"}},
    {"final-rate", {kCosine, "--final-rate 0.5"}},
    {"warmup", {kCosine, "--warmup 1"}},
    {"seed", {kNoisyJob, "--seed 2"}},
    {"repetitions", {kNoisyJob, "--repetitions 6"}},
    {"deterministic", {kNoisyJob, "--deterministic"}},
    {"exact", {kNoisyJob + " --strategy sync --set batch=256", "--exact"}},
};

/// These change the learning, not the time: a forecast can only record them.
const std::map<std::string, Change> kAccuracyOnly = {
    {"alpha", {kBiased, "--alpha 0.1"}},
    {"weighted-aggregation", {kBiased, "--weighted-aggregation off"}},
    {"high-loss-to", {kBiased, "--high-loss-to slow"}},
    {"averaging-order", {kJob + " --strategy node-based", "--averaging-order printed"}},
    {"slowmo-momentum", {kJob + " --strategy slowmo", "--slowmo-momentum 0.5"}},
    {"slowmo-rate", {kJob + " --strategy slowmo", "--slowmo-rate 0.5"}},
    {"outer-momentum", {kJob + " --strategy diloco", "--outer-momentum 0.5"}},
    {"outer-rate", {kJob + " --strategy diloco", "--outer-rate 0.5"}},
    {"server-rate", {kJob + " --strategy fedbuff", "--server-rate 0.5"}},
    {"anomaly-threshold", {kJob + " --strategy time-synced", "--anomaly-threshold 2"}},
    {"anomaly-decay", {kJob + " --strategy time-synced", "--anomaly-decay 0.1"}},
    {"anomaly-start", {kJob + " --strategy time-synced", "--anomaly-start 20"}},
    {"staleness-rate", {kJob + " --strategy ps-async", "--staleness-rate on"}},
    {"powersgd-error-feedback", {kPowerSgd, "--powersgd-error-feedback off"}},
    {"powersgd-warm-start", {kPowerSgd, "--powersgd-warm-start off"}},
};

/// The job with the flag replacing its own one of that name.
std::vector<std::string> changed(const Change& change) {
  std::vector<std::string> arguments = words(change.job);
  const std::vector<std::string> flag = words(change.flag);
  const auto given = std::find(arguments.begin(), arguments.end(), flag.front());
  if (given != arguments.end()) arguments.erase(given, given + 2);
  arguments.insert(arguments.end(), flag.begin(), flag.end());
  arguments.insert(arguments.end(), {"--format", "csv"});
  return arguments;
}

std::vector<std::string> unchanged(const Change& change) {
  std::vector<std::string> arguments = words(change.job + " --format csv");
  if (change.flag.starts_with("--platform"))
    arguments.insert(arguments.end(), {"--platform", "pair.json"});
  return arguments;
}

TEST_CASE("settings of accuracy alone are recorded with the forecast", "[cli]") {
  const Folder folder;
  for (const auto& [name, change] : kAccuracyOnly) {
    CAPTURE(name);
    const Outcome before = folder.run(change.job + " --format json");
    const Outcome after = folder.run(change.job + " --format json " + change.flag);
    const std::string recorded = "\"" + name + "\": \"" + words(change.flag)[1] + "\"";

    CHECK(before.out.find(recorded) == std::string::npos);
    CHECK(after.out.find(recorded) != std::string::npos);
  }
}

/// tests/sim/settings_test.cpp claims this of the library.
TEST_CASE("every setting of the command changes its forecast", "[cli][long]") {
  const Folder folder;
  folder.write("slow.json", folder.read("gpu.json"));
  std::filesystem::create_directory(folder.path() / "texts");
  folder.write("texts/train.bin", std::string(9000, '\7'));
  folder.write("texts/val.bin", std::string(1000, '\7'));
  for (const char* half : {"train", "val"}) {
    std::filesystem::create_directories(folder.path() / "photos" / half / "cat");
    for (const char* name :
         {"1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg", "6.jpg", "7.jpg", "8.jpg"})
      folder.write(std::string("photos/") + half + "/cat/" + name, "");
  }
  std::string slow = folder.read("gpu.json");
  folder.write("slow.json", slow.replace(slow.find("0.5,"), 4, "0.9,"));
  std::ostringstream two_gpus;
  two_gpus << std::ifstream(EPOCHCAST_SOURCE_DIR "/tests/sim/data/two_gpus.json").rdbuf();
  folder.write("two-gpus.json", two_gpus.str());
  // Of the time to a target: tests/cli/curves_test.cpp.
  std::set<std::string> covered = {"curves", "target"};
  for (const auto& [name, change] : kChanges) {
    CAPTURE(name);
    covered.insert(name);
    const Outcome before = folder.run(unchanged(change));
    const Outcome after = folder.run(changed(change));

    CHECK(before.status == 0);
    CHECK(after.status == 0);
    CHECK(before.out != after.out);
  }
  for (const auto& [name, change] : kAccuracyOnly) covered.insert(name);
  for (const Strategy& strategy : strategies()) {
    for (const StrategySetting* own : strategy.settings) {
      if (!covered.insert(std::string(own->name)).second) continue;
      CAPTURE(own->name);
      const std::string job = kTwoClasses + " --strategy " + std::string(strategy.name);
      const std::string flag = " --" + std::string(own->name) + " " + std::string(own->example);
      CHECK(folder.run(job + flag).out != folder.run(job).out);
    }
  }
  for (const CompressionMethod& method : compressions()) {
    for (const StrategySetting* own : method.settings) {
      if (!covered.insert(std::string(own->name)).second) continue;
      CAPTURE(own->name);
      const std::string job =
          method.name == "powersgd" && own->name != "powersgd-start"
              ? kPowerSgd
              : kTwoClasses + " --strategy sync --compression " + std::string(method.name);
      const std::string flag = " --" + std::string(own->name) + " " + std::string(own->example);
      CHECK(folder.run(job + flag).out != folder.run(job).out);
    }
  }
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    CAPTURE(setting.name);
    CHECK(covered.contains(std::string(setting.name)));
  }
}

}  // namespace
}  // namespace epochcast::tests
