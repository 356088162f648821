// SPDX-License-Identifier: Apache-2.0
// `epochcast rehearse` as its users meet it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/rehearse/counted_rehearsals.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kWork =
    "rehearse --network small-cnn --dataset cifar10 --data procedural --train-samples 96 "
    "--test-samples 32 --learning-rate 0.05 --batch-seconds gpu=10ms ";
const std::string kRehearsal = kWork + "--platform pair.json --batch 4 --folder kept ";

/// The curve of the only job.
Json curve_of(const Outcome& outcome) {
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out).at("rehearsals").at(0).at("curve");
}

TEST_CASE("one table for all jobs, a page with their curves, and CSV") {
  const Folder folder;

  const Outcome table = folder.run(kRehearsal +
                                   "--epochs 2 --strategy sync,local-sgd --sweep local-steps=2,4 "
                                   "--target-accuracy 99% --html curves.html");

  CHECK(table.status == 0);
  CHECK_THAT(table.out, Catch::Contains("sync, local-steps 2"));
  CHECK_THAT(table.out, Catch::Contains("local-sgd, local-steps 4"));
  CHECK_THAT(table.out, Catch::Contains("time to accuracy 99.0 %"));
  CHECK_THAT(table.out, Catch::Contains("not reached"));
  const std::string page = folder.read("curves.html");
  CHECK_THAT(page, Catch::Contains("\"name\":\"local-sgd, local-steps 4\""));
  CHECK_THAT(page, Catch::Contains("\"target\":{\"metric\":\"accuracy\",\"value\":0.99}"));

  const Outcome csv = folder.run(kRehearsal + "--epochs 2 --strategy sync --format csv");
  REQUIRE(lines(csv.out).size() == 3);
  CHECK(lines(csv.out).front().starts_with("job,seed,epoch,epoch_s,training_s,samples,bytes_sent"));
  CHECK(lines(csv.out).front().ends_with(
      ",test_accuracy,test_perplexity,discriminator_loss,generator_loss"));
  CHECK(lines(csv.out).back().starts_with("\"sync\",1,2,"));
  CHECK(lines(csv.out).back().ends_with(",,"));
}

TEST_CASE("with several seeds there are means and deviations, and each seed's own curve") {
  const Folder folder;
  const std::string job = kRehearsal + "--epochs 2 --strategy sync,local-sgd --local-steps 4 ";

  const Outcome table = folder.run(job + "--seeds 3 --html curves.html");

  CHECK(table.status == 0);
  CHECK_THAT(table.out, Catch::Contains("Means ± standard deviations over 3 seeds"));
  CHECK_THAT(table.out, Catch::Contains(" ± "));
  CHECK_THAT(table.out, Catch::Contains("per sample vs sync"));
  CHECK_THAT(folder.read("curves.html"), Catch::Contains("means over 3 seeds"));

  const Json all = Json::parse(folder.run(job + "--seeds 3 --format json").out);
  REQUIRE(all.at("rehearsals").size() == 6);
  const Json second =
      curve_of(folder.run(kRehearsal + "--epochs 2 --strategy sync --seed 2 --format json"));
  CHECK(all["rehearsals"][1]["seed"] == 2);
  CHECK(all["rehearsals"][1]["curve"] == second);
  CHECK(all["rehearsals"][0]["curve"] != second);
  const Json& comparison = all.at("comparison");
  CHECK(comparison["jobs"][0]["job"] == "sync");
  CHECK(comparison["jobs"][0]["seeds"] == 3);
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += all["rehearsals"][i]["curve"][1]["test_accuracy"].get<double>();
  CHECK(comparison["jobs"][0]["test_accuracy"]["mean"].get<double>() == Approx(sum / 3));
}

TEST_CASE("a number of seeds is an integer") {
  const Folder folder;
  const Outcome none = folder.run(kRehearsal + "--strategy sync --seeds 0");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Catch::Contains("--seeds: got \"0\""));
}

TEST_CASE("finished rehearsals are not repeated, and longer ones continue from them") {
  const CountedRehearsals folder;
  const std::string job =
      kWork + "--platform pair.json --batch 4 --strategy sync --epochs 4 --format json --folder ";
  const Json whole = curve_of(folder.run(job + "whole"));
  REQUIRE(whole.size() == 4);

  // 12 iterations of 10 ms and their exchanges: an epoch takes some 120 ms.
  const Json begun = curve_of(folder.run(job + "kept --stop-after 0.2s"));
  CHECK(begun.size() == 2);
  CHECK(folder.count() == 2);
  CHECK(curve_of(folder.run(job + "kept --stop-after 0.2s")) == begun);
  CHECK(folder.count() == 2);
  const Json ended = curve_of(folder.run(job + "kept"));
  CHECK(folder.count() == 3);

  CHECK(ended == whole);
}

TEST_CASE("concurrent calls of the same rehearsal have the same result") {
  const Folder folder;
  const std::string job = kRehearsal + "--strategy sync --epochs 3 --format json";
  Outcome other;
  std::thread another([&] { other = folder.run(job); });
  const Outcome one = folder.run(job);
  another.join();

  CHECK(curve_of(one).size() == 3);
  CHECK(curve_of(one) == curve_of(other));
}

TEST_CASE("the next call removes drafts of a killed rehearsal, but no other files") {
  const Folder folder;
  const std::string job = kRehearsal + "--strategy sync --epochs 2 --format json";
  REQUIRE(folder.run(job + " --stop-after 1ms").status == 0);
  folder.write("kept/.epochcast-1234-0", "half");
  folder.write("kept/mine.state.tmp1234", "not ours");

  REQUIRE(folder.run(job).status == 0);

  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder.path() / "kept"))
    left.push_back(entry.path().extension());
  std::sort(left.begin(), left.end());
  CHECK(left ==
        std::vector<std::string>{"", ".json", ".learned", ".tmp1234"});  // lock, result, foreign
}

TEST_CASE(
    "an interrupted rehearsal with drawn costs continues with new draws, without repeating "
    "epochs") {
  const Folder folder;
  const std::string job =
      "rehearse --platform pair.json --network resnet20 --dataset cifar10 --data procedural "
      "--train-samples 64 --test-samples 8 --batch 16 --trace gpu.json,cpu.json --strategy sync "
      "--epochs 3 --format json ";
  const Json whole = curve_of(folder.run(job + "--folder whole"));

  const Json begun = curve_of(folder.run(job + "--folder parts --stop-after 1ms"));
  CHECK(begun.size() == 1);

  CHECK(curve_of(folder.run(job + "--folder parts")) == whole);
}

TEST_CASE("a loss of NaN ends a rehearsal with advice, also the next time") {
  const Folder folder;
  const std::string job = kRehearsal + "--strategy sync --epochs 3 --set learning-rate=1e30";
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = folder.run(job);

    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.err, Catch::Contains("the loss is "));
    CHECK_THAT(outcome.err, Catch::Contains("lower --learning-rate"));
  }
}

TEST_CASE("a target whose metric tests lack is refused, also for finished rehearsals") {
  const Folder folder;
  const std::string job = kRehearsal + "--strategy sync --epochs 1 ";
  REQUIRE(folder.run(job).status == 0);

  const Outcome outcome = folder.run(job + "--target-perplexity 3");

  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains("--target-perplexity: tests of this model"));
}

TEST_CASE("a problem of all rehearsals is reported once, without their names") {
  const Outcome outcome = Folder().run("rehearse --strategy sync,local-sgd --folder kept");

  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "epochcast: --platform: missing; `epochcast list platforms` lists them\n"
        "epochcast: --network: missing; `epochcast list networks` lists them\n"
        "epochcast: --dataset: missing; `epochcast list datasets` lists them\n");
}

TEST_CASE("problems of a job are reported before anything is computed") {
  const Folder folder;
  const auto [arguments, complaint] = GENERATE(table<std::string, std::string>({
      {kWork + "--strategy sync --batch 4 --folder kept --platform pear.json", "pear.json"},
      {"rehearse --platform pair.json --network small-cnn --dataset cifar10 --strategy sync "
       "--batch-seconds gpu=1ms --folder kept",
       "--data: missing"},
      {kRehearsal + "--strategy snyc", "did you mean \"sync\"?"},
      {kRehearsal + "--strategy sync --target-accuracy 1.5",
       "--target-accuracy: got \"1.5\"; expected an accuracy such as 0.9 or 90%"},
      {kRehearsal + "--strategy sync --target-perplexity 3",
       "--target-perplexity: tests of this model on such data have no such metric; expected "
       "--target-accuracy or --target-loss"},
      {kRehearsal + "--strategy sync --target-perplexity 0.5",
       "--target-perplexity: got \"0.5\"; expected a perplexity from 1, such as 30"},
      {kRehearsal + "--strategy sync --target-loss low",
       "--target-loss: got \"low\"; expected a loss such as 1.5"},
      {kRehearsal + "--strategy sync --target-loss 1 --target-accuracy 0.5",
       "--target-loss: there is a target already; expected one"},
      {kRehearsal + "--strategy sync --stop-after 5", "--stop-after: "},
      {kRehearsal + "--strategy sync --jobs 0", "--jobs: "},
      {kWork + "--platform pair.json --folder kept --strategy sync --batch 64",
       "--batch: one iteration of all workers takes 128"},
      {kRehearsal + "--strategy sync --ranks 2", "ranks"},
  }));
  CAPTURE(arguments);

  const Outcome outcome = folder.run(arguments);

  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains(complaint));
  CHECK(outcome.out.empty());
}

}  // namespace
}  // namespace epochcast::tests
