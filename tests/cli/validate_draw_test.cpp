// SPDX-License-Identifier: Apache-2.0
// `epochcast validate --draw`, and the progress of a validation.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/fake_cluster.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;
using Calls = std::vector<std::string>;
using Lines = std::vector<std::string>;

/// A seed whose first two groups emulate.
const std::string kDraw = "validate --draw 1 --box box --folder kept --format json ";

bool prints(const Outcome& outcome, const std::string& text) {
  return outcome.err.find(text) != std::string::npos;
}

TEST_CASE("drawn rows are run and kept as those of files", "[cli]") {
  const FakeCluster cluster;

  const Outcome outcome = cluster.folder.run(kDraw + "--rows 3 --repetitions 1");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json rows = Json::parse(outcome.out)["rows"];
  CHECK(rows.size() == 3);
  for (const Json& row : rows) {
    CHECK(row["cluster"].get<std::string>().starts_with("draw 1, group 1: "));
    CHECK(row["measured"][0]["epoch_s"] == 5);
  }
  CHECK(cluster.calls() == Calls{"measure", "emulate", "emulate", "emulate"});
  CHECK(cluster.folder.has("kept/drawn-1-1.json"));

  const Outcome more = cluster.folder.run(kDraw + "--rows 4 --repetitions 1");
  CHECK(Json::parse(more.out)["rows"].size() == 4);
  CHECK(cluster.calls() == Calls{"emulate"});
}

TEST_CASE("all mistakes in the options of draws are reported at once", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  const auto errors_of = [&](const std::string& arguments) {
    const Outcome outcome = cluster.folder.run("validate " + arguments);
    CHECK(outcome.status == 2);
    CHECK(cluster.calls().empty());
    return lines(outcome.err);
  };

  CHECK(errors_of("e.json --draw -1 --rows none --box nowhere") ==
        Lines{"epochcast: --draw: got \"-1\"; expected a whole number of at least 0",
              "epochcast: --rows: got \"none\"; expected a whole number of at least 1",
              "epochcast: --box: nowhere: no such file",
              "epochcast: --draw: experiment files are given, too; expected one or the other"});
  CHECK(errors_of("e.json --rows 3 --box box") ==
        Lines{"epochcast: --rows: counts with --draw only",
              "epochcast: --box: counts with --draw only"});
}

TEST_CASE("each run is reported with the forecast that was made before it", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});

  const Outcome outcome = cluster.validate("e.json", 2);

  const std::string run = "resnet20, here, emulate: sync: run ";
  CHECK(prints(outcome, "measuring here\n"));
  CHECK(prints(outcome, run + "1 of 2: measured 5.00 s, forecast "));
  CHECK(prints(outcome, run + "2 of 2: measured 5.00 s, forecast "));
}

TEST_CASE("every cluster is measured before the first run", "[cli]") {
  const FakeCluster cluster;

  const Outcome outcome = cluster.folder.run(kDraw + "--rows 8 --repetitions 1");

  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.rfind("measuring draw 1, group ") < outcome.err.find("measured 5.00 s"));
  const Json json = Json::parse(outcome.out);
  CHECK(json["tiers"].size() == 2);
  CHECK(json["rows"][7]["tier"] == "extrapolated");
  CHECK(json["rows"][7]["calibrated"] != json["rows"][7]["cluster"]);
}

TEST_CASE("a row that cannot run is reported at once, and once", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{{"strategy", "sync"}}, {{"strategy", "dlb"}}});
  cluster.folder.write("broken", "emulate");

  const Outcome outcome = cluster.validate("e.json", 2);

  for (const std::string strategy : {"sync", "dlb"}) {
    const std::string text = strategy + ": run 1 of 2 failed: ";
    CHECK(prints(outcome, text));
    CHECK(outcome.err.find(text) == outcome.err.rfind(text));
    CHECK_FALSE(prints(outcome, strategy + ": run 2 of 2"));
  }
  CHECK(prints(outcome, "(it is not tried again)\n"));
}

TEST_CASE("results of an interrupted validation are shown, written and continued", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json",
                     "resnet20",
                     {{{"strategy", "sync"}}, {{"strategy", "dlb"}}, {{"strategy", "one-shot"}}});
  cluster.folder.write("interrupted", "3");  // messages, sync, dlb
  const std::string command =
      "validate e.json --folder kept --repetitions 1 --format json --save part.json --html "
      "part.html --max-worst-error 0%";

  const Outcome outcome = cluster.folder.run(command);

  CAPTURE(outcome.err);
  CHECK(outcome.status == 130);
  const Json part = Json::parse(outcome.out);
  REQUIRE(part["rows"].size() == 1);
  CHECK(part["rows"][0]["point"] == "sync");
  CHECK(part["rows"][0]["findings"].is_object());
  CHECK(part["provenance"]["command"].get<std::string>().ends_with(
      "\n(interrupted: 1 of 3 configurations, at most 1 run each)"));
  CHECK(Json::parse(cluster.folder.read("part.json")) == part);
  CHECK(cluster.folder.read("part.html").find("1 of 3 configurations") != std::string::npos);
  CHECK_FALSE(prints(outcome, "above the bound"));
  CHECK(prints(outcome,
               "epochcast: ended by SIGINT; measurements and runs are kept; to continue, run the "
               "same command with --folder "));
  CHECK(cluster.calls() == Calls{"measure", "emulate", "emulate"});

  std::filesystem::remove(cluster.folder.path() / "interrupted");
  CHECK(Json::parse(cluster.folder.run(command).out)["rows"].size() == 3);
  CHECK(cluster.calls() == Calls{"emulate", "emulate"});
}

TEST_CASE("a validation that was ended in its first measurement has nothing to show", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  cluster.folder.write("interrupted", "1");

  const Outcome outcome = cluster.validate("e.json");

  CHECK(outcome.status == 130);
  CHECK(outcome.out.empty());
  CHECK(prints(outcome, "epochcast: ended by SIGINT\n"));
}

}  // namespace
}  // namespace epochcast::tests
