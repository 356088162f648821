// SPDX-License-Identifier: Apache-2.0
// `epochcast tune` as its users meet it.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/rehearse/counted_rehearsals.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

/// Two workers, twelve iterations an epoch. Exchanges of 100 ms and batches of 10 ms.
const std::string kTuning =
    "tune --platform pair.json --network small-cnn --dataset cifar10 --data procedural "
    "--train-samples 96 --test-samples 64 --batch 4 --learning-rate 0.05 --folder kept --epochs 3 "
    "--batch-seconds gpu=10ms --exchange-seconds 100ms --seeds 2 ";

TEST_CASE("tune reports the best H, or that nothing was learned, in text, page and JSON") {
  const CountedRehearsals folder;

  const Outcome outcome =
      folder.run(kTuning + "--strategy local-sgd --time-budget 1s --html tuned.html");

  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("local-steps 8"));
  CHECK_THAT(outcome.out, Catch::Contains("local-steps 6 (default)"));
  CHECK_THAT(outcome.out, Catch::Contains("Nothing is faster and has learned as much"));
  const std::string page = folder.read("tuned.html");
  for (const std::string& shown : {outcome.out, page}) {
    CHECK_THAT(shown, Catch::Contains("Nothing was learned"));
    CHECK_THAT(shown, Catch::Contains("of guessing among 10 classes (binomial test"));
  }
  CHECK_THAT(outcome.out, !Catch::Contains("Recommended"));
  CHECK_THAT(page, Catch::Contains("\"name\":\"local-steps 1\""));

  // Everything is kept: nothing is rehearsed again.
  const std::size_t count = folder.count();
  CHECK(count >= 10);  // five settings, two seeds
  const Outcome json = folder.run(kTuning + "--strategy local-sgd --time-budget 1s --format json");
  CHECK(Json::parse(json.out).at("verdict") == "nothing learned");
  CHECK(Json::parse(json.out).at("best").is_null());
  const Outcome again = folder.run(kTuning + "--strategy local-sgd --time-budget 1s");
  CHECK(again.out == outcome.out);
  CHECK(folder.count() == count);
}

TEST_CASE("tune chooses K' for node-based, and leaves out settings without gain") {
  const Folder folder;
  const Outcome outcome = folder.run(
      "tune --platform pair.json --network small-cnn --dataset cifar10 --data procedural "
      "--train-samples 96 --test-samples 64 --batch 4 --learning-rate 0.05 --folder kept "
      "--epochs 2 --batch-seconds gpu=10s --seeds 2 --strategy node-based --time-budget 1000s "
      "--choose averaging-period=1,4 --format json");

  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json tuning = Json::parse(outcome.out);
  CHECK(tuning.at("schema") == "epochcast.tuning/1");
  REQUIRE(tuning.at("candidates").size() == 3);
  const Json& rarely = tuning.at("candidates").at(1);
  CHECK(rarely.at("name") == "averaging-period 4");
  CHECK(rarely.at("fate") ==
        "left out: averaging-period 1 averages more often and takes no longer");
  CHECK(rarely.at("curves").empty());
  CHECK(tuning.at("candidates").at(2).at("name") == "averaging-period 12");
  CHECK(tuning.at("candidates").at(2).at("is_default") == true);
}

TEST_CASE("tune compares several strategies, each with its own period") {
  const Folder folder;

  const Outcome outcome = folder.run(
      kTuning + "--strategy sync,local-sgd --choose local-steps=4 --time-budget 1s --format json");

  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json tuning = Json::parse(outcome.out);
  std::vector<std::string> names;
  for (const Json& candidate : tuning.at("candidates")) names.push_back(candidate.at("name"));
  CHECK(names ==
        std::vector<std::string>{"sync", "local-sgd, local-steps 4", "local-sgd, local-steps 6"});
}

TEST_CASE("a target that is not reached is reported with advice") {
  const Folder folder;

  const Outcome outcome =
      folder.run(kTuning + "--strategy local-sgd --choose local-steps=2,4 --target-loss 0.001");

  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("No setting reached loss 0.001 with every seed"));
  CHECK_THAT(outcome.out, Catch::Contains("Raise --epochs, or ask for less: --target-loss"));
}

TEST_CASE("settings with a diverging loss are dropped, others continue") {
  const Folder folder;

  const Outcome outcome = folder.run(
      "tune --platform pair.json --network small-cnn --dataset cifar10 --data procedural "
      "--train-samples 96 --test-samples 64 --batch 4 --folder kept --epochs 2 "
      "--batch-seconds gpu=10ms --seeds 2 --strategy sync --choose learning-rate=0.01,1e30 "
      "--target-loss 3");

  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("diverged: the loss became infinite or no number"));
  CHECK_THAT(outcome.out, Catch::Contains("Recommended: learning-rate 0.01"));
  CHECK_THAT(outcome.out,
             Catch::Contains("For real: epochcast train --network=small-cnn --dataset=cifar10 "
                             "--strategy=sync --batch=4 --epochs=2"));
  CHECK_THAT(outcome.out, Catch::Contains("--ranks=2 --ranks-per-node=1\n"));
}

TEST_CASE("problems of tune are reported before anything is rehearsed") {
  const Folder folder;
  const auto [arguments, complaint] = GENERATE(table<std::string, std::string>({
      {kTuning + "--strategy local-sgd",
       "expected a target (--target-accuracy, --target-loss, --target-perplexity) or "
       "--time-budget"},
      {kTuning + "--strategy local-sgd --time-budget 1s --target-accuracy 0.5",
       "expected a target (--target-accuracy, --target-loss, --target-perplexity) or "
       "--time-budget"},
      {kTuning + "--strategy sync --time-budget 1s",
       "--strategy: sync has no setting of how often it averages; say what to choose from"},
      {kTuning + "--strategy sync --time-budget 1s --choose batch=4", "one setting to choose from"},
      {kTuning + "--strategy local-sgd --time-budget 1s --choose bach=4",
       "did you mean \"batch\"?"},
      {kTuning + "--strategy local-sgd --time-budget 1s --format csv", "tune writes table or json"},
  }));
  CAPTURE(arguments);

  const Outcome outcome = folder.run(arguments);

  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains(complaint));
  CHECK(outcome.out.empty());
}

}  // namespace
}  // namespace epochcast::tests
