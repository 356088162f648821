// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

/// a.json and b.json: the forecasts of a job whose batches take 100 ms, and 120 ms.
class TwoResults : public Folder {
 public:
  TwoResults() {
    for (const auto& [file, seconds] : {std::pair("a.json", "100ms"), std::pair("b.json", "120ms")})
      write(file,
            run("simulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 2 "
                "--strategy sync,hetgrad --format json --batch-seconds gpu=" +
                std::string(seconds))
                .out);
  }
};

std::string error_of(const Outcome& outcome) {
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  return outcome.err;
}

TEST_CASE("two results are compared strategy by strategy", "[cli]") {
  const TwoResults folder;
  const Outcome outcome = folder.run("compare a.json b.json");

  REQUIRE(messages_of(outcome).empty());
  CHECK(outcome.status == 0);
  const std::vector<std::string> rows = lines(outcome.out);
  REQUIRE(rows.size() > 6);
  CHECK(rows[0] == "A: a.json  (batch 128 per worker, inputs estimated)");
  CHECK(rows[1] == "B: b.json  (batch 128 per worker, inputs estimated)");
  CHECK(rows[3].starts_with("run "));
  CHECK_THAT(rows[5], Catch::Contains("compute"));
  CHECK_THAT(outcome.out, Catch::Contains("Settings that differ (A -> B):\n"));
  CHECK_THAT(outcome.out, Catch::Contains("  batch-seconds: gpu=0.1s -> gpu=0.12s\n"));

  const auto json = nlohmann::json::parse(folder.run("compare a.json b.json --format json").out);
  CHECK(json["schema"] == "epochcast.comparison/1");
  CHECK(json["pairs"].size() == 2);
  CHECK(json["pairs"][0]["largest_part"] == "compute");
  CHECK(lines(folder.run("compare a.json b.json --format csv").out).size() == 3);
}

TEST_CASE("a bound that B exceeds gives exit status 1, and a message on stderr", "[cli]") {
  const TwoResults folder;
  const Outcome slower = folder.run("compare a.json b.json --max-slower 5%");
  CHECK(slower.status == 1);
  CHECK_THAT(slower.err, Catch::Contains("epochcast: sync: B is slower by "));
  CHECK_THAT(slower.err, Catch::Contains(" %, above the bound of 5.00 %\n"));

  CHECK(folder.run("compare b.json a.json --max-slower 5%").status == 0);
  CHECK(folder.run("compare a.json b.json --max-slower 0.5").status == 0);
}

TEST_CASE("platforms are forecast with the settings from flags", "[cli]") {
  const Folder folder;
  folder.write("fast.json", pair_with("\"name\": \"pair\"", "\"name\": \"fast\""));
  const Outcome outcome = folder.run(
      "compare pair.json fast.json --network resnet20 --dataset cifar10 --epochs 2 --strategy sync "
      "--batch-seconds gpu=100ms --format json");

  REQUIRE(messages_of(outcome).empty());
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["pairs"][0]["slower"] == 0.0);
  CHECK(json["settings"][0]["name"] == "platform");
  CHECK(json["figures"].empty());
}

TEST_CASE("experiments are forecast, each with its own settings", "[cli]") {
  const Folder folder;
  for (const std::string batch : {"32", "64"}) {
    folder.write("e" + batch + ".json",
                 R"({"schema": "epochcast.experiment/1", "platform": "pair.json", "network":
                    "resnet20", "dataset": "cifar10", "epochs": 2, "strategy": "sync",
                    "batch-seconds": "gpu=100ms", "batch": )" +
                     batch + "}");
  }
  const Outcome outcome = folder.run("compare e32.json e64.json");

  REQUIRE(messages_of(outcome).empty());
  CHECK_THAT(outcome.out, Catch::Contains("  batch: 32 -> 64\n"));
}

TEST_CASE("errors of a comparison state what was expected", "[cli]") {
  const TwoResults folder;
  folder.write("other.json", R"({"schema": "epochcast.validation/1"})");
  folder.write("empty.json",
               R"({"schema": "epochcast.result/1", "runs": [], "provenance": {"program": "p",
                  "command": "c", "world": "simulate"}})");
  folder.write("odd.json", R"({"schema": "epochcast.result/1", "runs": [{"strategy": "sync"}]})");

  CHECK(error_of(folder.run("compare a.json")) ==
        "epochcast: compare: got 1 input; expected two results, platforms or experiments\n");
  CHECK(error_of(folder.run("compare a.json a.json")) ==
        "epochcast: A and B are the same file, a.json; expected two to compare\n");
  CHECK(error_of(folder.run("compare a.json missing.json")) ==
        "epochcast: B: missing.json: no such file\n");
  CHECK(error_of(folder.run("compare a.json other.json")) ==
        "epochcast: other.json: /schema: got \"epochcast.validation/1\"; expected "
        "\"epochcast.result/1\" (simulate, emulate or train with --format json), "
        "\"epochcast.platform/1\" or \"epochcast.experiment/1\"\n");
  CHECK(error_of(folder.run("compare a.json empty.json")) ==
        "epochcast: empty.json: /runs: got a list of 0; expected a list that is not empty\n");
  CHECK_THAT(error_of(folder.run("compare a.json odd.json")),
             Catch::Contains("epochcast: odd.json: /runs/0/platform: missing\n"));
  CHECK(error_of(folder.run("compare a.json b.json --batch 32")) ==
        "epochcast: --batch: A and B are results; settings are for platforms and experiments, "
        "which are forecast\n");
  CHECK(error_of(folder.run("compare a.json pair.json --platform dgx-a100")) ==
        "epochcast: --platform: A or B is a platform itself\n");
  CHECK(error_of(folder.run("compare a.json b.json --max-slower -5% --max-costlier much")) ==
        "epochcast: --max-slower: got \"-5%\"; expected a share such as 5% or 0.05\n"
        "epochcast: --max-costlier: got \"much\"; expected a share such as 5% or 0.05\n");
  // Either 5 % or five times as much: the user has to specify which.
  CHECK(error_of(folder.run("compare a.json b.json --max-slower 5")) ==
        "epochcast: --max-slower: got \"5\"; expected a share such as 5% or 0.05\n");
  CHECK(folder.run("compare a.json b.json --max-slower 500%").status == 0);
}

}  // namespace
}  // namespace epochcast::tests
