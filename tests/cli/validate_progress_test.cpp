// SPDX-License-Identifier: Apache-2.0
// The lines of a validation on stderr, and its interruption.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/fake_cluster.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;
using Calls = std::vector<std::string>;

bool prints(const Outcome& outcome, const std::string& text) {
  return outcome.err.find(text) != std::string::npos;
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
