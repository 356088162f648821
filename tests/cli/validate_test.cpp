// SPDX-License-Identifier: Apache-2.0
// What `epochcast validate --folder` keeps, on a cluster that tells what files say.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/fake_cluster.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

using Calls = std::vector<std::string>;

Json first_row(const Outcome& outcome) {
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out).at("rows").at(0);
}

TEST_CASE("two experiments that share a folder are each compared with their own run", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("sync.json", "resnet20", {{"strategy", "sync"}});
  cluster.experiment("hetgrad.json", "small-cnn", {{"strategy", "hetgrad"}});

  const Json sync = first_row(cluster.validate("sync.json"));
  cluster.run_takes(7);
  const Json hetgrad = first_row(cluster.validate("hetgrad.json"));
  const Json again = first_row(cluster.validate("sync.json"));

  CHECK(sync["measured"][0]["network"] == "resnet20");
  CHECK(hetgrad["measured"][0]["strategy"] == "hetgrad");
  CHECK(hetgrad["measured"][0]["network"] == "small-cnn");
  CHECK(hetgrad["measured"][0]["epoch_s"] == 7);
  CHECK(again == sync);
  CHECK(cluster.calls() ==
        Calls{"measure", "emulate", "measure", "emulate"});  // one calibration for both
}

TEST_CASE("nothing is repeated as long as nothing that determines it has changed", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  static_cast<void>(first_row(cluster.validate("e.json")));
  CHECK(cluster.calls() == Calls{"measure", "emulate", "measure"});

  CHECK(first_row(cluster.validate("e.json"))["measured"][0]["epoch_s"] == 5);
  CHECK(cluster.calls().empty());

  CHECK(first_row(cluster.validate("e.json", 2))["measured"].size() == 2);
  CHECK(cluster.calls() == Calls{"emulate", "measure"});
}

TEST_CASE("a changed experiment, input file, cluster or program is measured or run anew", "[cli]") {
  const FakeCluster cluster;
  const Folder& folder = cluster.folder;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  static_cast<void>(first_row(cluster.validate("e.json")));
  static_cast<void>(cluster.calls());
  Calls expected = {"emulate"};

  SECTION("another setting") {
    cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}, {"overlap", "bucket"}});
  }
  SECTION("the same platform file with another content") {
    folder.write("pair.json", pair_with("1GBps", "2GBps"));
  }
  SECTION("another cluster under the same name") {
    folder.write("cluster.sh", "# elsewhere\n" + folder.read("cluster.sh"));
    expected = {"measure", "emulate", "measure"};
  }
  SECTION("other hosts in the environment") {
    setenv("OMPI_MCA_orte_default_hostfile", "hosts", 1);
    expected = {"measure", "emulate", "measure"};
  }
  cluster.run_takes(6);
  const Json row = first_row(cluster.validate("e.json"));
  unsetenv("OMPI_MCA_orte_default_hostfile");

  CHECK(row["measured"][0]["epoch_s"] == 6);
  CHECK(cluster.calls() == expected);
}

TEST_CASE("a kept run that is damaged, or of something else, is noticed and run again", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  static_cast<void>(first_row(cluster.validate("e.json")));
  static_cast<void>(cluster.calls());
  const fs::path kept = cluster.kept("emulate-");
  const std::string run = (kept / "run-1.json").string();
  const auto read = [&](const char* name) {
    return cluster.folder.read(fs::relative(kept / name, cluster.folder.path()).string());
  };
  const auto write = [&](const char* name, const std::string& text) {
    cluster.folder.write(fs::relative(kept / name, cluster.folder.path()).string(), text);
  };
  std::string problem;

  SECTION("another number") {
    std::string text = read("run-1.json");
    text.replace(text.find("\"epoch_s\":5"), 11, "\"epoch_s\":6");
    write("run-1.json", text);
    problem = "run-1.json is damaged: its checksum is wrong";
  }
  SECTION("no file") {
    fs::remove(run);
    problem = "run-1.json is missing";
  }
  SECTION("no manifest") {
    fs::remove(kept / "kept.json");
    problem = "kept.json is missing";
  }
  SECTION("half a manifest") {
    write("kept.json", read("kept.json").substr(0, 40));
    problem = "kept.json is damaged";
  }
  SECTION("a manifest of another run") {
    Json manifest = Json::parse(read("kept.json"));
    manifest["of"]["inputs"]["settings"]["batch"] = "64";
    write("kept.json", manifest.dump());
    problem = "is of something else";
  }
  const Outcome outcome = cluster.validate("e.json");

  CHECK(first_row(outcome)["measured"][0]["epoch_s"] == 5);
  CHECK(cluster.calls() == Calls{"emulate"});
  CHECK(outcome.err.find("epochcast: note: " + kept.string() + ": " + problem + "; made again\n") !=
        std::string::npos);
}

TEST_CASE("batches around a run that did not end are measured again with it", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "small-cnn", {{"strategy", "sync"}}, "train");
  cluster.folder.write("broken", "train");

  const Outcome broken = cluster.validate("e.json");
  CHECK(broken.status == 0);
  const Json row = Json::parse(broken.out)["rows"][0];
  CHECK(row["forecast"].is_null());
  CHECK(row["measured"].empty());
  REQUIRE(row["problems"].size() == 1);
  CHECK(cluster.calls() == Calls{"measure", "measure", "train", "measure"});

  cluster.folder.write("broken", "");
  CHECK(first_row(cluster.validate("e.json"))["measured"][0]["epoch_s"] == 5);
  // Three runs in a row, each between two measurements.
  CHECK(cluster.calls() ==
        Calls{"measure", "train", "measure", "train", "measure", "train", "measure"});
  CHECK(first_row(cluster.validate("e.json"))["own_forecasts"].size() == 3);
  CHECK(cluster.calls().empty());
}

TEST_CASE("a run's forecast is at the speeds that its ranks had around it", "[cli]") {
  const auto compute_s = [](double before, double after) {
    const FakeCluster cluster;
    cluster.experiment("e.json", "small-cnn", {{"strategy", "sync"}}, "train");
    std::vector<TimedRank> of_ranks(2, {.before_s = before, .after_s = after});
    of_ranks[1].rank = 1;
    cluster.run_takes(5, of_ranks);
    const Json row = first_row(cluster.validate("e.json"));
    CHECK(row["measured"][0]["timed_batches"][1]["rank"] == 1);
    return row["own_forecasts"][0]["compute_s"].get<double>();
  };

  constexpr double as_measured = 0.011;  // the median
  constexpr double slower = 0.11;
  const double measured_s = compute_s(as_measured, as_measured);
  CHECK(compute_s(slower, slower) == Approx(10 * measured_s).epsilon(1e-6));
  // A session each: their mean, or where it slows down between.
  const double changing_s = compute_s(as_measured, slower);
  CHECK(changing_s > 2 * measured_s);
  CHECK(changing_s < 9 * measured_s);
}

TEST_CASE("a run's forecast is at the speed that its exchanges had around it", "[cli]") {
  FakeCluster cluster;
  Json messages = Json::parse(cluster.folder.read("messages.json"));
  messages["costs"].push_back({{"kind", "all-reduce"},
                               {"scope", "all"},
                               {"algorithm", "ring"},
                               {"bytes", 1 << 20},
                               {"samples_s", {0.0011, 0.0011}}});
  cluster.folder.write("messages.json", messages.dump());
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  const TimedExchanges slower = {
      .all_reduce = "ring", .bytes = 1 << 20, .before_s = {0.003}, .after_s = {0.0036}};
  cluster.run_takes(5, {}, slower);

  const Outcome outcome = cluster.validate("e.json");
  const Json slow = first_row(outcome);
  cluster.folder.write("v.json", outcome.out);
  const Json usual = Json::parse(
      cluster.folder.run("report v.json --format json --without exchange-speed").out)["rows"][0];

  const auto exchange_s = [](const Json& row) {
    REQUIRE(row["own_forecasts"].size() == 1);
    return row["own_forecasts"][0]["exposed_communication_s"].get<double>();
  };
  CHECK(exchange_s(slow) == Approx(3 * exchange_s(usual)).epsilon(0.01));
  CHECK(Json::parse(cluster.folder.run("report v.json --format json --forecast-again")
                        .out)["rows"][0]["own_forecasts"] == slow["own_forecasts"]);
}

TEST_CASE("a row whose runs differ is run again until its error is known", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{{"strategy", "sync"}}, {{"strategy", "dlb"}}});
  // sync and dlb in turn, then sync alone: of 5, 6, 5, 5 the doubt is 10.7 %, of 5, 6, 5 17.8.
  cluster.folder.write("takes", "5\n7\n6\n7\n5\n5\n");

  const Outcome outcome = cluster.folder.run(
      "validate e.json --folder kept --format json --repetitions 2 --precision 12%");

  CAPTURE(outcome.err);
  const Json rows = Json::parse(outcome.out)["rows"];
  CHECK(rows[0]["measured"].size() == 4);
  CHECK(rows[1]["measured"].size() == 2);
  CHECK(cluster.calls() == Calls{"measure",
                                 "emulate",
                                 "emulate",
                                 "measure",
                                 "emulate",
                                 "emulate",
                                 "measure",
                                 "emulate",
                                 "measure",
                                 "emulate",
                                 "measure"});
  CHECK(outcome.err.find("sync: run 3 of at most 8: measured 5.00 s") != std::string::npos);
}

TEST_CASE("how often and how well are counts and shares", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});

  const Outcome outcome = cluster.folder.run("validate e.json --repetitions 0 --precision 2");

  CHECK(outcome.status == 2);
  CHECK(lines(outcome.err) ==
        Calls{"epochcast: --repetitions: got \"0\"; expected a whole number of at least 1",
              "epochcast: --precision: got \"2\"; expected a share such as 5% or 0.05"});
}

TEST_CASE("a row whose first run fails is not tried in every repetition", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "small-cnn", {{"strategy", "sync"}});
  cluster.folder.write("broken", "emulate");

  const Json row = Json::parse(cluster.validate("e.json", 3).out)["rows"][0];

  CHECK(row["problems"].size() == 1);
  CHECK(cluster.calls() == Calls{"measure", "emulate", "measure"});
}

TEST_CASE("a row that has run before is tried again in the next repetition", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "small-cnn", {{"strategy", "sync"}});
  static_cast<void>(first_row(cluster.validate("e.json")));
  static_cast<void>(cluster.calls());
  cluster.folder.write("broken", "emulate");

  const Json row = Json::parse(cluster.validate("e.json", 3).out)["rows"][0];

  CHECK(row["measured"].size() == 1);
  CHECK(cluster.calls() == Calls{"emulate", "measure", "emulate", "measure"});
}

TEST_CASE("a run that tells of another strategy is a failure, and is not kept", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "hetgrad"}});
  cluster.folder.write("other", "sync");

  const Json row = Json::parse(cluster.validate("e.json").out)["rows"][0];
  CHECK(row["measured"].empty());
  REQUIRE(row["problems"].size() == 1);
  CHECK(row["problems"][0].get<std::string>().ends_with(
      "run.log: the run was one of sync, not of hetgrad"));

  fs::remove(cluster.folder.path() / "other");
  CHECK(first_row(cluster.validate("e.json"))["measured"][0]["strategy"] == "hetgrad");
}

}  // namespace
}  // namespace epochcast::tests
