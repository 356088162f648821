// SPDX-License-Identifier: Apache-2.0
// A rehearsal has the results of processes and the times of a forecast.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

const std::string kLearning =
    "--network small-cnn --dataset cifar10 --data procedural --train-samples 96 --test-samples 32 "
    "--batch 4 --learning-rate 0.05 --epochs 3 ";
/// Dropout draws from a generator that simulated workers share.
const std::string kDropout =
    "--network wide-resnet-16 --dataset cifar10 --data procedural --train-samples 16 "
    "--test-samples 8 --batch 2 --learning-rate 0.05 --epochs 1 --strategy sync ";
/// The same holds for noise and requested classes of a GAN, and dropout after a recurrent layer.
/// Tests between the epochs must not draw anything.
const std::string kDigits =
    "--dataset mnist --data procedural --train-samples 32 --test-samples 8 --batch 4 "
    "--learning-rate 0.01 --epochs 2 --strategy sync ";
/// The two workers of pair.json are on two nodes.
const std::string kProcesses = "--ranks 2 --ranks-per-node 1 ";
const std::string kSimulated = "--platform pair.json --batch-seconds gpu=10ms ";

Json curve_of(const Folder& folder, const std::string& arguments) {
  const Outcome outcome =
      folder.run("rehearse " + kSimulated + "--format json " + arguments +
                 (arguments.find("--folder") == std::string::npos ? " --folder kept" : ""));
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out).at("rehearsals").at(0).at("curve");
}

std::vector<Json> metrics_of_processes(const Folder& folder, const std::string& arguments) {
  const Outcome outcome = folder.run("train " + kProcesses + "--metrics train.jsonl " + arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return metrics_of(folder, "train.jsonl");
}

void check_same_learning(const std::string& job) {
  const Folder folder;
  CAPTURE(job);

  const std::vector<Json> trained = metrics_of_processes(folder, job);
  const Json rehearsed = curve_of(folder, job);

  REQUIRE(rehearsed.size() == trained.size());
  for (std::size_t i = 0; i < trained.size(); ++i) {
    CAPTURE(i);
    for (const char* key : {"samples",
                            "bytes_sent",
                            "learning_rate",
                            "train_loss",
                            "train_accuracy",
                            "test_loss",
                            "test_accuracy"})
      CHECK(rehearsed[i].at(key) == trained[i].at(key));
    for (const char* key : {"discriminator_loss", "generator_loss"}) {
      CHECK(trained[i].contains(key) == (job.find("gan") != std::string::npos));
      CHECK(rehearsed[i].value(key, Json()) == trained[i].value(key, Json()));
    }
  }
}

TEST_CASE("two simulated workers learn the same as two processes, bit for bit") {
  check_same_learning(GENERATE(
      kLearning + "--strategy sync --overlap bucket --set first-bucket=4kB --set bucket=64kB",
      kLearning + "--strategy biased-local-sgd --local-steps fast=4 --alpha 0.5",
      kLearning + "--strategy diloco --local-steps 4 --fragments 2 --fragment-delay 1",
      kDigits + "--network gru"));
}

TEST_CASE("two simulated workers with other strategies and networks learn the same", "[long]") {
  check_same_learning(
      GENERATE(kLearning + "--strategy sync",
               kLearning + "--strategy sync --all-reduce recursive-doubling --optimizer adam",
               kLearning + "--strategy node-based --averaging-period 5",
               kLearning + "--strategy local-sgd --local-steps 4",
               kLearning + "--strategy local-sgd --local-steps 6 --period-rule adacomm",
               kLearning + "--strategy slowmo --local-steps 4",
               kDropout,
               kDigits + "--network gan"));
}

TEST_CASE("workers whose batches are computed at the same time learn the same, bit for bit") {
  const Folder folder;
  const std::string job = GENERATE(kLearning + "--strategy local-sgd --local-steps 4",
                                   kLearning + "--strategy sync --overlap bucket --bucket 64kB",
                                   kLearning + "--strategy ps-async",
                                   kDropout);
  CAPTURE(job);

  const Json one_by_one = curve_of(folder, job + " --jobs 1 --folder apart");
  CHECK(curve_of(folder, job + " --jobs 4 --folder together") == one_by_one);
}

TEST_CASE("samples of gradients that no update takes do not count as trained on") {
  const Folder folder;
  const Json curve = curve_of(folder, kLearning + "--strategy backup-workers --backup-workers 1");

  for (const Json& point : curve)
    CHECK(point.at("samples") == 96 * point.at("epoch").get<std::int64_t>());
}

TEST_CASE("a rehearsal learns in the precision of its job, as processes do") {
  const Folder folder;
  folder.write("half.json", R"({
    "schema": "epochcast.trace/1", "name": "half", "title": "made up", "device": "test-gpu",
    "source": {"grade": "estimated", "method": "made up"},
    "costs": [{"network": "small-cnn", "input": [3, 32, 32], "precision": "bfloat16",
               "batches": [{"batch": 4, "seconds": [0.01]}]}]
  })");
  const std::string job = kLearning + "--strategy sync ";

  const Outcome outcome = folder.run(
      "rehearse --platform pair.json --trace half.json --folder kept --format json " + job);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json rehearsed = Json::parse(outcome.out).at("rehearsals").at(0);
  // On a processor without bfloat16, rehearsals compute in float32 and say so.
  const bool is_exact = rehearsed.dump().find("computed in float32") != std::string::npos;
  const std::vector<Json> trained =
      metrics_of_processes(folder, job + "--precision " + (is_exact ? "float32" : "bfloat16"));

  CHECK(rehearsed.at("run").at("config").at("precision") == "bfloat16");
  REQUIRE(rehearsed.at("curve").size() == trained.size());
  for (const char* key : {"train_loss", "test_loss"})
    CHECK(rehearsed.at("curve").back().at(key) == trained.back().at(key));
}

TEST_CASE("workers without samples change neither losses nor accuracy, with BatchNorm either") {
  const Folder folder;
  const auto platform = [](const std::string& cpus) {
    return R"({
      "schema": "epochcast.platform/1", "name": "mixed", "title": "Two GPUs and CPUs",
      "source": {"grade": "estimated", "method": "made up"},
      "network": {"topology": "star", "bandwidth": "10Gbps", "latency": "1us",
                  "source": {"grade": "estimated", "method": "made up"}},
      "nodes": [{"name": "gpus", "count": 2,
                 "devices": [{"class": "gpu", "model": "gpu", "count": 1}]})" +
           cpus + "]}";
  };
  folder.write("gpus.json", platform(""));
  folder.write("mixed.json", platform(R"(, {"name": "cpus", "count": 2,
                              "devices": [{"class": "cpu", "model": "cpu", "count": 1}]})"));
  const std::string learning =
      "rehearse --network resnet20 --dataset cifar10 --data procedural --train-samples 48 "
      "--test-samples 16 --learning-rate 0.05 --epochs 2 --folder kept --format json ";
  const auto curve = [&](const std::string& job) {
    const Outcome outcome = folder.run(learning + job);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return Json::parse(outcome.out).at("rehearsals").at(0).at("curve");
  };

  // A CPU would get 0.04 of 16 samples.
  const Json idle = curve(
      "--platform mixed.json --workers all --batch-seconds gpu=10ms,cpu=2s --batch 4 --strategy "
      "hetgrad");
  const Json alone =
      curve("--platform gpus.json --batch-seconds gpu=10ms --batch 8 --strategy sync");

  REQUIRE(idle.size() == alone.size());
  for (std::size_t i = 0; i < idle.size(); ++i) {
    for (const char* key :
         {"samples", "train_loss", "train_accuracy", "test_loss", "test_accuracy"}) {
      CAPTURE(i, key);
      CHECK(idle[i].at(key).get<double>() == Approx(alone[i].at(key).get<double>()).epsilon(1e-5));
    }
  }
}

/// Images for which the tests' weights are suitable.
const std::string kFourClasses = R"({
  "schema": "epochcast.dataset/1", "name": "four", "title": "Images of four classes",
  "source": {"grade": "published", "reference": "made up"},
  "train_samples": 96, "test_samples": 32, "shape": [3, 32, 32], "sample": "3073B", "classes": 4
})";

TEST_CASE("a rehearsal starts from pretrained weights and hyperparameters as processes do") {
  const Folder folder;
  folder.write("four.json", kFourClasses);
  const std::string job =
      "--network small-cnn --dataset four.json --data procedural --batch 4 --learning-rate 0.002 "
      "--epochs 2 --strategy sync --optimizer adabelief --beta1 0.5 --beta2 0.75 --epsilon 1e-4 "
      "--weight-decay 0.125 --decoupled-decay --pretrained " +
      weights_file("small-cnn.pt");

  const std::vector<Json> trained = metrics_of_processes(folder, job);
  const Json rehearsed = curve_of(folder, job);

  REQUIRE(rehearsed.size() == trained.size());
  for (std::size_t i = 0; i < trained.size(); ++i) {
    for (const char* key : {"train_loss", "test_loss"})
      CHECK(rehearsed[i].at(key) == trained[i].at(key));
  }
}

TEST_CASE("a rehearsal from other weights in a file of the same name is not reused") {
  const Folder folder;
  folder.write("four.json", kFourClasses);
  const std::filesystem::path file = folder.path() / "w.pt";
  const std::string job =
      "--network small-cnn --dataset four.json --data procedural --batch 4 --learning-rate 0.05 "
      "--epochs 1 --strategy sync --pretrained w.pt";
  std::filesystem::copy_file(weights_file("small-cnn.pt"), file);
  const Json before = curve_of(folder, job);

  std::filesystem::remove(file);
  std::filesystem::copy_file(weights_file("small-cnn-headless.pt"), file);

  CHECK(curve_of(folder, job).at(0).at("test_loss") != before.at(0).at("test_loss"));
}

/// The sum of two numbers does not depend on their order; that of four does.
void check_sums_of_four(const std::string& all_reduce) {
  const Folder folder;
  folder.write("four.json", pair_with("\"count\": 2", "\"count\": 4"));
  const std::string job = kLearning + "--strategy sync --all-reduce " + all_reduce + " ";
  CAPTURE(all_reduce);

  const Outcome trained =
      folder.run("train --ranks 4 --ranks-per-node 1 --metrics train.jsonl " + job);
  const Outcome rehearsed = folder.run(
      "rehearse --platform four.json --batch-seconds gpu=10ms "
      "--folder kept --format json " +
      job);

  REQUIRE(trained.status == 0);
  REQUIRE(rehearsed.status == 0);
  const Json curve = Json::parse(rehearsed.out).at("rehearsals").at(0).at("curve");
  const std::vector<Json> metrics = metrics_of(folder, "train.jsonl");
  REQUIRE(curve.size() == metrics.size());
  for (const char* key : {"train_loss", "test_loss"})
    CHECK(curve.back().at(key) == metrics.back().at(key));
}

TEST_CASE("four workers' numbers are added up in the order of the all-reduce's schedule") {
  check_sums_of_four("rabenseifner");
}

TEST_CASE("four workers' numbers are added up in the order of other all-reduces", "[long]") {
  check_sums_of_four(GENERATE("ring", "recursive-doubling"));
}

TEST_CASE("with MPI_Allreduce, losses agree to 1e-5") {
  const Folder folder;

  const std::vector<Json> trained =
      metrics_of_processes(folder, kLearning + "--strategy sync --all-reduce openmpi");
  const Json rehearsed = curve_of(folder, kLearning + "--strategy sync --all-reduce openmpi");

  REQUIRE(rehearsed.size() == trained.size());
  for (const char* key : {"train_loss", "test_loss"}) {
    CHECK(rehearsed.back().at(key).get<double>() ==
          Approx(trained.back().at(key).get<double>()).epsilon(1e-5));
  }
}

void check_epoch_times(const std::string& job) {
  const Folder folder;
  CAPTURE(job);

  const Json rehearsed = curve_of(folder, kLearning + job);
  folder.write("short.json", R"({
    "schema": "epochcast.dataset/1", "name": "short", "title": "CIFAR-10 cut short",
    "source": {"grade": "published", "reference": "made up"},
    "train_samples": 96, "test_samples": 32, "shape": [3, 32, 32], "sample": "3073B", "classes": 10
  })");
  const Outcome forecast = folder.run(
      "simulate --network small-cnn --dataset short.json --batch 4 --epochs 3 --platform pair.json "
      "--batch-seconds gpu=10ms --format json " +
      job);

  REQUIRE(forecast.status == 0);
  const double epoch_s = Json::parse(forecast.out).at("runs").at(0).at("epoch_s");
  CHECK(rehearsed.back().at("training_s").get<double>() == Approx(3 * epoch_s).epsilon(1e-9));
}

TEST_CASE("epoch times of a rehearsal equal those of the forecast") {
  check_epoch_times(
      GENERATE(as<std::string>(),
               "--strategy sync --overlap bucket --set first-bucket=4kB --set bucket=64kB",
               "--strategy dlb",
               "--strategy diloco --local-steps 4 --fragments 2 --fragment-delay 1",
               "--strategy ps-async",
               "--strategy ad-psgd",
               "--strategy byteps"));
}

TEST_CASE("epoch times of rehearsals of other strategies equal those of forecasts", "[long]") {
  check_epoch_times(GENERATE(as<std::string>(),
                             "--strategy sync",
                             "--strategy node-based --averaging-period 5",
                             "--strategy local-sgd --local-steps 4",
                             "--strategy hetgrad",
                             "--strategy biased-local-sgd --local-steps 4"));
}

}  // namespace
}  // namespace epochcast::tests
