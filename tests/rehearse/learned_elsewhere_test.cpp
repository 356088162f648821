// SPDX-License-Identifier: Apache-2.0
// Learning on one cluster is timed on others, if their workers do the same.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/rehearse/counted_rehearsals.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

const std::string kJob =
    "rehearse --network small-cnn --dataset cifar10 --data procedural --train-samples 96 "
    "--test-samples 32 --learning-rate 0.05 --batch 4 --epochs 3 --format json ";
const std::string kOne = "--platform pair.json --batch-seconds gpu=10ms ";
const std::string kOther =
    "--platform pair.json --batch-seconds gpu=25ms --set network.bandwidth=1Gbps ";

/// The only rehearsal.
Json rehearsal(const Outcome& outcome) {
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out).at("rehearsals").at(0);
}

TEST_CASE("a job is timed on another cluster to the same bits as if it had learned there") {
  const std::string strategy = GENERATE(as<std::string>{},
                                        "sync",
                                        "node-based --averaging-period 3",
                                        "local-sgd --local-steps 4",
                                        "one-shot",
                                        "post-local-sgd --local-steps 2",
                                        "slowmo --local-steps 3",
                                        "local-sgd --local-steps 4 --period-rule adacomm",
                                        "diloco --local-steps 4",
                                        "sync --compression topk");
  CAPTURE(strategy);
  const CountedRehearsals folder;
  const std::string job = kJob + "--strategy " + strategy + " ";

  const Json here = rehearsal(folder.run(job + kOne + "--folder kept"));
  REQUIRE(folder.count() == 1);
  const Json timed = rehearsal(folder.run(job + kOther + "--folder kept"));
  CHECK(folder.count() == 1);
  const Json learned = rehearsal(folder.run(job + kOther + "--folder fresh"));
  CHECK(folder.count() == 2);

  CHECK(timed == learned);
  CHECK(timed.at("curve")[2]["test_loss"] == here.at("curve")[2]["test_loss"]);
  CHECK(timed.at("curve")[2]["training_s"] > here.at("curve")[2]["training_s"]);
}

TEST_CASE(
    "a precision or an overlap that changes no number is timed, another order of sums learns") {
  const CountedRehearsals folder;
  const std::string job = kJob + kOne + "--strategy sync --folder kept ";
  static_cast<void>(rehearsal(folder.run(job)));
  REQUIRE(folder.count() == 1);

  // Two workers: every algorithm adds the same two numbers, in rings halves of them.
  static_cast<void>(rehearsal(folder.run(job + "--gradient-bytes 2")));
  static_cast<void>(rehearsal(folder.run(job + "--set network.latency=1ms")));
  CHECK(folder.count() == 1);
  static_cast<void>(rehearsal(folder.run(job + "--all-reduce recursive-doubling")));
  CHECK(folder.count() == 2);
  static_cast<void>(rehearsal(folder.run(job + "--seed 2")));
  CHECK(folder.count() == 3);
}

TEST_CASE("jobs whose workers do the same are learned once, others each") {
  const CountedRehearsals folder;
  const std::string job =
      kJob + kOne + "--strategy local-sgd --local-steps 4 --seeds 1 --folder kept ";

  // At a constant learning rate, the steps of stl-sgd do not grow.
  const Outcome alike = folder.run(job + "--sweep period-rule=constant,stl-sgd");
  CAPTURE(alike.err);
  CHECK(alike.status == 0);
  CHECK(folder.count() == 1);

  static_cast<void>(folder.run(job + "--sweep period-rule=constant,stl-sgd --schedule cosine"));
  CHECK(folder.count() == 3);
}

TEST_CASE("jobs that begin alike learn their beginning once, with the numbers of learning alone") {
  const CountedRehearsals folder;
  // 12 steps in an epoch. Under stl-sgd, H is 6, 8 and 12.
  const std::string job = kJob + kOne + "--schedule cosine --strategy local-sgd ";
  const std::string steps = "--local-steps 6 ";

  const Outcome both =
      folder.run(job + steps + "--sweep period-rule=constant,stl-sgd --folder kept");
  CAPTURE(both.err);
  REQUIRE(both.status == 0);
  const Json rehearsals = Json::parse(both.out).at("rehearsals");
  const Json alone = rehearsal(folder.run(job + steps + "--period-rule stl-sgd --folder fresh"));

  CHECK(rehearsals.at(0).at("curve").at(0)["test_loss"] == alone.at("curve").at(0)["test_loss"]);
  CHECK(rehearsals.at(0).at("curve").at(1)["test_loss"] != alone.at("curve").at(1)["test_loss"]);
  CHECK(rehearsals.at(1).at("curve") == alone.at("curve"));

  // Three epochs of one rule, and those of the other from where they differ.
  const Outcome tuned = folder.run("tune" + job.substr(std::string("rehearse").size()) +
                                   "--choose period-rule=constant,stl-sgd --choose local-steps=6 "
                                   "--seeds 1 --target-loss 0.01 --folder tuned");
  CAPTURE(tuned.err);
  CHECK_THAT(tuned.err, Catch::Contains(": 5 epochs were computed now"));
}

TEST_CASE("a job that follows losses begins with what another has learned, as long as they agree") {
  const CountedRehearsals folder;
  // Losses fall, but not enough for a shorter period.
  std::string job = kJob + kOne + "--strategy local-sgd --local-steps 4 --seeds 1 ";
  job.replace(job.find("96"), 2, "384");

  const Outcome both = folder.run(job + "--sweep period-rule=constant,adacomm --folder kept");
  CAPTURE(both.err);
  REQUIRE(both.status == 0);
  CHECK(folder.count() == 1);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "kept"))
    CHECK(entry.path().extension() != ".state");
  const Json rehearsals = Json::parse(both.out).at("rehearsals");
  const Json alone = rehearsal(folder.run(job + "--period-rule adacomm --folder fresh"));

  CHECK(rehearsals.at(1).at("curve") == alone.at("curve"));
  CHECK(rehearsals.at(1).at("run") == alone.at("run"));
}

TEST_CASE("a job that ended early elsewhere goes on from there") {
  const CountedRehearsals folder;
  const std::string job = kJob + "--strategy sync ";
  static_cast<void>(rehearsal(folder.run(job + kOne + "--folder kept --stop-after 0.1s")));

  const Json ended = rehearsal(folder.run(job + kOther + "--folder kept"));
  CHECK(folder.count() == 2);
  CHECK(ended.at("curve").size() == 3);
  CHECK(ended == rehearsal(folder.run(job + kOther + "--folder fresh")));
}

TEST_CASE("who follows the order of messages learns on each cluster, and says why") {
  const CountedRehearsals folder;
  const std::string job = "choose" + kJob.substr(std::string("rehearse").size()) +
                          "--strategy ps-async --target-loss 100 --seeds 1 --folder kept ";
  static_cast<void>(folder.run(job + kOne));
  REQUIRE(folder.count() == 1);
  const Outcome other = folder.run(job + kOther);
  CAPTURE(other.err);
  CHECK(folder.count() == 2);
  CHECK(Json::parse(other.out).at("options").at(0).at("origin") ==
        "learned now: the order of its updates follows the cluster's seconds");
}

TEST_CASE("a damaged learning trace is reported and learned again") {
  const CountedRehearsals folder;
  const std::string job = kJob + "--strategy sync --folder kept ";
  static_cast<void>(rehearsal(folder.run(job + kOne)));
  std::string name;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "kept"))
    if (entry.path().extension() == ".learned") name = "kept/" + entry.path().filename().string();
  REQUIRE(!name.empty());
  std::string text = folder.read(name);
  text[text.size() / 2] ^= 1;
  folder.write(name, text);

  const Outcome other = folder.run(job + kOther);
  CHECK(folder.count() == 2);
  CHECK(other.status == 0);
  CHECK_THAT(other.err, Catch::Contains(name.substr(5)));
  CHECK_THAT(other.err, Catch::Contains("rehearsing again"));
}

TEST_CASE("several clusters of one call learn once") {
  const CountedRehearsals folder;
  std::vector<std::string> arguments =
      words("choose" + kJob.substr(std::string("rehearse").size()) +
            "--strategy sync,local-sgd --sweep local-steps=2,4 --target-loss 100 --seeds 2 "
            "--folder kept --batch-seconds gpu=10ms --cluster pair.json --cluster");
  arguments.emplace_back("pair.json network.bandwidth=1Gbps");
  const Outcome outcome = folder.run(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(folder.count() == 6);  // three jobs, two seeds
  const Json choice = Json::parse(outcome.out);
  REQUIRE(choice.at("options").size() == 6);
  CHECK(choice.at("found") == true);
  for (const Json& option : choice.at("options")) CHECK(option.at("seeds_at_target") == 2);
  CHECK(choice["options"][0]["target_s"]["mean"] <= choice["options"][5]["target_s"]["mean"]);
}

}  // namespace
}  // namespace epochcast::tests
