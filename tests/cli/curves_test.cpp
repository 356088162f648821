// SPDX-License-Identifier: Apache-2.0
// Curves learned elsewhere, in forecasts.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

const std::string kImport =
    "import curves log.csv --network resnet20 --dataset cifar10 --batch 32 --workers 2 ";

/// A folder with curves of sync and local-sgd on two workers: at 75 % after 2 and 3 epochs.
class WithCurves : public Folder {
 public:
  WithCurves() {
    write("log.csv", "epoch,accuracy\n1,0.5\n2,0.75\n");
    REQUIRE(run(kImport + "--output sync.json").status == 0);
    write("log.csv", "epoch,accuracy\n1,0.5\n3,0.75\n");
    REQUIRE(run(kImport + "--strategy local-sgd --set local-steps=8 --output local.json").status ==
            0);
  }
};

std::string forecast(const std::string& strategies, const std::string& batch = "32") {
  return " --platform pair.json --network resnet20 --dataset cifar10 --local-steps 8 "
         "--batch-seconds gpu=10ms --curves sync.json,local.json --target accuracy=75% --batch " +
         batch + " --strategy " + strategies + " ";
}

const std::string kBoth = forecast("sync,local-sgd");

TEST_CASE("forecasts have the time and the samples to the target") {
  const WithCurves folder;
  const Outcome outcome = folder.run("simulate" + kBoth + "--format json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json result = Json::parse(outcome.out);
  for (const Json& run : result.at("runs")) {
    const double epochs = run.at("strategy") == "sync" ? 2 : 3;
    CHECK(run.at("target_samples") == epochs * 50000);
    CHECK(run.at("target_s").get<double>() ==
          Approx(epochs * 50000 * run.at("epoch_s").get<double>() /
                 run.at("samples_per_epoch").get<double>()));
  }
  const Outcome table = folder.run("simulate" + kBoth);
  CHECK_THAT(table.out, Catch::Contains("to target"));
  CHECK_THAT(table.out, Catch::Contains("150000 (1.50x)"));
}

TEST_CASE("rankings are by the time to the target, unknown ones last") {
  const WithCurves folder;
  const Outcome outcome =
      folder.run("simulate" + forecast("gossip,local-sgd,sync") + "--rank-by time");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("times to accuracy=0.75:"));
  // Gossip is as fast as sync for as much data.
  const std::vector<std::string> rows = lines(outcome.out);
  CHECK_THAT(rows.at(4), Catch::StartsWith("1  sync"));
  CHECK_THAT(rows.at(5), Catch::StartsWith("2  local-sgd"));
  CHECK_THAT(rows.at(6), Catch::StartsWith("3  gossip") && Catch::Contains("unknown"));
}

TEST_CASE("a job that was not observed has no time to the target, and says so") {
  const WithCurves folder;
  const Outcome outcome = folder.run("simulate" + forecast("local-sgd", "16"));
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(
      outcome.out + outcome.err,
      Catch::Contains("time to accuracy 75.0 % unknown: no curve of 2 workers with batch 16"));
}

TEST_CASE("find compares strategies by the time to the target") {
  const WithCurves folder;
  std::vector<std::string> arguments = words("find network.bandwidth" + kBoth + "--format json");
  arguments.emplace_back("--where");
  arguments.emplace_back("sync faster than local-sgd");
  const Outcome outcome = folder.run(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json found = Json::parse(outcome.out).at("answers").at(0).at("found");
  // Sync needs fewer samples: it is faster from some bandwidth on, long before exchanges are free.
  CHECK(found.at("run").at("target_samples") == 100000);
  const auto target_s = [&](const std::string& strategy) {
    const Outcome run =
        folder.run("simulate" + forecast(strategy + ",local-sgd") +
                   "--format json --set network.bandwidth=" + found.at("text").get<std::string>());
    return Json::parse(run.out).at("runs").at(0).at("target_s").get<double>();
  };
  CHECK(target_s("sync") < target_s("local-sgd"));
}

TEST_CASE("curves and their target are given together") {
  const WithCurves folder;
  const std::string job = "simulate --platform pair.json --network resnet20 --dataset cifar10 ";
  CHECK_THAT(folder.run(job + "--curves sync.json").err,
             Catch::Contains("--curves: need --target"));
  CHECK_THAT(folder.run(job + "--target loss=1").err, Catch::Contains("--target: needs --curves"));
  CHECK_THAT(folder.run(job + "--curves sync.json --target speed=1").err,
             Catch::Contains("--target: got \"speed=1\"; expected accuracy=75%"));
}

TEST_CASE("choose times curves on clusters, and leaves out what was not observed") {
  const WithCurves folder;
  std::vector<std::string> arguments = words(
      "choose --curves sync.json,local.json --batch-seconds gpu=10ms --target-accuracy 75% "
      "--format json --cluster pair.json --cluster");
  arguments.emplace_back("pair.json nodes=1");
  const Outcome outcome = folder.run(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(Json::parse(outcome.out).at("options").size() == 2);
  CHECK_THAT(outcome.err, Catch::Contains("not observed with 1 workers, but with 2"));
}

}  // namespace
}  // namespace epochcast::tests
