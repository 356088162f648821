// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "lab/commands/commands.hpp"
#include "tests/catch.hpp"
#include "tests/cli/fake_cluster.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;
using Calls = std::vector<std::string>;
using Lines = std::vector<std::string>;

/// A seed whose first two groups emulate.
const std::string kDraw = "validate --draw 1 --box box --folder kept --format json ";

Outcome lab(const FakeCluster& cluster, const std::string& arguments) {
  return cluster.folder.run(arguments, {.program = EPOCHCAST_LAB});
}

TEST_CASE("every command of the laboratory has help", "[lab]") {
  const FakeCluster cluster;
  const Outcome none = lab(cluster, "");
  CHECK(none.status == 2);
  for (const CommandInfo& command : lab_commands()) {
    const std::string name = "epochcast-lab " + std::string(command.name);
    CHECK(none.err.find("\n  " + name + ": ") != std::string::npos);
    CHECK(lab(cluster, std::string(command.name) + " --help").out.starts_with(name + ": "));
  }
}

TEST_CASE("drawn rows are run and kept as those of files", "[lab]") {
  const FakeCluster cluster;

  const Outcome outcome = lab(cluster, kDraw + "--rows 3 --repetitions 1");
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

  const Outcome more = lab(cluster, kDraw + "--rows 4 --repetitions 1");
  CHECK(Json::parse(more.out)["rows"].size() == 4);
  CHECK(cluster.calls() == Calls{"emulate"});
}

TEST_CASE("all errors of a draw are reported together", "[lab]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  const auto errors_of = [&](const std::string& arguments) {
    const Outcome outcome = lab(cluster, "validate " + arguments);
    CHECK(outcome.status == 2);
    CHECK(cluster.calls().empty());
    return lines(outcome.err);
  };

  CHECK(errors_of("e.json --draw -1 --rows none --box nowhere") ==
        Lines{"epochcast-lab: --draw: got \"-1\"; expected a whole number of at least 0",
              "epochcast-lab: --rows: got \"none\"; expected a whole number of at least 1",
              "epochcast-lab: --box: nowhere: no such file",
              "epochcast-lab: --draw: experiment files are given, too; expected one or the other"});
  CHECK(errors_of("e.json --rows 3 --box box") ==
        Lines{"epochcast-lab: --rows: counts with --draw only",
              "epochcast-lab: --box: counts with --draw only"});
}

TEST_CASE("every cluster is measured before the first run", "[lab]") {
  const FakeCluster cluster;

  const Outcome outcome = lab(cluster, kDraw + "--rows 8 --repetitions 1");

  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.rfind("measuring draw 1, group ") < outcome.err.find("measured 5.00 s"));
  const Json json = Json::parse(outcome.out);
  CHECK(json["tiers"].size() == 2);
  CHECK(json["rows"][7]["tier"] == "extrapolated");
  CHECK(json["rows"][7]["calibrated"] != json["rows"][7]["cluster"]);
}

TEST_CASE("an explanation divides an error into drift of the machine and the rest", "[lab]") {
  const FakeCluster cluster;
  cluster.experiment("t.json", "small-cnn", {{"strategy", "sync"}}, "train");
  // Measured: 11 ms, the median; a tenth longer in the run.
  cluster.run_takes(5, {{.rank = 0, .before_s = 0.0121, .after_s = 0.0121}});
  const std::string flags = " --folder kept --repetitions 1 ";

  const Json plain = Json::parse(cluster.validate("t.json").out)["rows"][0];
  const Outcome table = lab(cluster, "validate t.json --explain --save v.json" + flags);
  const Json row = Json::parse(cluster.folder.read("v.json"))["rows"][0];
  const Outcome outcome = lab(cluster, "explain v.json --format json");

  CAPTURE(table.err, outcome.err);
  CHECK(row["forecast"] == plain["forecast"]);
  CHECK(row["findings"]["error"] == plain["findings"]["error"]);
  CHECK(table.out.find("Tiers: ") < table.out.find("Batches and exchanges: how much longer"));
  const Json explained = Json::parse(outcome.out)["rows"][0];
  CHECK(explained["point"] == "sync");
  CHECK(explained["batches"].get<double>() == Approx(0.1));
  CHECK(explained["exchanges"].is_null());
  const double drift_error = -0.1 * row["forecast"]["compute_s"].get<double>() / 5;
  CHECK(explained["drift_error"].get<double>() == Approx(drift_error));
  CHECK(explained["model_error"].get<double>() ==
        Approx(row["findings"]["error"].get<double>() - drift_error));
}

}  // namespace
}  // namespace epochcast::tests
