// SPDX-License-Identifier: Apache-2.0
// Results that `epochcast validate --folder` keeps, on a cluster that answers with files.
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
  CHECK(cluster.calls() == Calls{"measure", "emulate", "emulate"});  // one calibration for both
}

TEST_CASE("nothing is repeated as long as nothing that determines it has changed", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  static_cast<void>(first_row(cluster.validate("e.json")));
  CHECK(cluster.calls() == Calls{"measure", "emulate"});

  CHECK(first_row(cluster.validate("e.json"))["measured"][0]["epoch_s"] == 5);
  CHECK(cluster.calls().empty());

  CHECK(first_row(cluster.validate("e.json", 2))["measured"].size() == 2);
  CHECK(cluster.calls() == Calls{"emulate"});
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
    expected = {"measure", "emulate"};
  }
  SECTION("other hosts in the environment") {
    setenv("OMPI_MCA_orte_default_hostfile", "hosts", 1);
    expected = {"measure", "emulate"};
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
  const std::string run = (kept / "run.json").string();
  const auto read = [&](const char* name) {
    return cluster.folder.read(fs::relative(kept / name, cluster.folder.path()).string());
  };
  const auto write = [&](const char* name, const std::string& text) {
    cluster.folder.write(fs::relative(kept / name, cluster.folder.path()).string(), text);
  };
  std::string problem;

  SECTION("another number") {
    std::string text = read("run.json");
    text.replace(text.find("\"epoch_s\":5"), 11, "\"epoch_s\":6");
    write("run.json", text);
    problem = "run.json is damaged: its checksum is wrong";
  }
  SECTION("no file") {
    fs::remove(run);
    problem = "run.json is missing";
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

TEST_CASE("batches are measured once, before the runs", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json",
                     "small-cnn",
                     {{{"strategy", "sync"}, {"overlap", "bucket"}, {"all-reduce", "linear"}},
                      {{"strategy", "hetgrad"}}},
                     "train");
  cluster.folder.write("broken", "train");

  const Outcome broken = cluster.validate("e.json");
  CHECK(broken.status == 0);
  const Json row = Json::parse(broken.out)["rows"][0];
  CHECK(row["forecast"]["epoch_s"] > 0);  // it needs no run
  CHECK(row["measured"].empty());
  REQUIRE(row["problems"].size() == 1);
  CHECK(cluster.calls() == Calls{"measure", "measure", "train", "train"});

  cluster.folder.write("broken", "");
  CHECK(first_row(cluster.validate("e.json", 2))["measured"].size() == 2);
  CHECK(cluster.calls() == Calls{"train", "train", "train", "train"});
}

TEST_CASE("batches are measured in the precision of the run, and CPUs have no float16", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json",
                     "small-cnn",
                     {{{"strategy", "sync"}}, {{"strategy", "sync"}, {"precision", "bfloat16"}}},
                     "train");
  cluster.experiment(
      "half.json", "small-cnn", {{"strategy", "sync"}, {"precision", "float16"}}, "train");

  static_cast<void>(cluster.validate("e.json"));
  CHECK(cluster.calls() == Calls{"measure", "measure", "measure", "train", "train"});
  const Outcome half = cluster.validate("half.json");
  CHECK(half.status == 2);
  CHECK_THAT(half.err,
             Catch::Contains("--precision: float16 needs GPUs; validation trains on cpu alone"));
}

TEST_CASE("no forecast depends on what a run reports", "[cli]") {
  const auto rows_if_runs_take = [](double epoch_s, double timed_s) {
    const FakeCluster cluster;
    cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
    cluster.experiment("t.json", "small-cnn", {{"strategy", "sync"}}, "train");
    cluster.run_takes(
        epoch_s,
        {{.rank = 0, .before_s = timed_s, .after_s = timed_s}},
        TimedExchanges{
            .all_reduce = "ring", .bytes = 1 << 20, .before_s = {timed_s}, .after_s = {timed_s}});
    const Outcome outcome =
        cluster.folder.run("validate e.json t.json --folder kept --format json --repetitions 2");
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return Json::parse(outcome.out)["rows"];
  };
  const auto without_folder = [](Json forecast) {
    forecast.erase("config");  // names temporary folders
    return forecast;
  };

  const Json usual = rows_if_runs_take(5, 0.01);
  const Json slow = rows_if_runs_take(50, 0.1);

  for (const std::size_t row : {0, 1}) {
    CHECK(without_folder(usual[row]["forecast"]) == without_folder(slow[row]["forecast"]));
    CHECK(usual[row]["findings"]["error"] != slow[row]["findings"]["error"]);
  }
}

/// An experiment on two nodes that is calibrated as `calibrate` says.
void extrapolated(const FakeCluster& cluster,
                  const std::string& file,
                  const Json& calibrate,
                  const Json& more = Json::object()) {
  cluster.experiment(file, "resnet20", {{"strategy", "sync"}}, "emulate", more);
  Json document = Json::parse(cluster.folder.read(file));
  document["validate"]["calibrate"] = {
      {"name", "two slow nodes"}, {"launch", "bash cluster.sh"}, {"ranks", 2}};
  document["validate"]["calibrate"].update(calibrate);
  cluster.folder.write(file, document.dump());
}

TEST_CASE("a row names its tier and the calibrated cluster", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  extrapolated(cluster, "x.json", {{"network", "small-cnn"}});

  const Outcome outcome = cluster.validate("e.json x.json");

  CAPTURE(outcome.err);
  const Json json = Json::parse(outcome.out);
  CHECK(json["rows"][0]["tier"] == "same cluster");
  CHECK(json["rows"][0]["calibrated"] == "here");
  CHECK(json["rows"][1]["tier"] == "extrapolated");
  CHECK(json["rows"][1]["calibrated"] == "two slow nodes");
  CHECK(json["rows"][1]["group"] == "resnet20, here, emulate, calibrated on two slow nodes");
  CHECK(json["tiers"].size() == 2);
  CHECK(cluster.calls() == Calls{"measure", "measure", "emulate"});  // the same run for both
}

TEST_CASE("links are as many times as fast as the nominal ones differ", "[cli]") {
  const FakeCluster cluster;
  const auto exchange_s = [&](const std::string& file) {
    const Json row = first_row(cluster.validate(file));
    CHECK(row["measured"].size() == 1);
    return row["forecast"]["exposed_communication_s"].get<double>();
  };
  extrapolated(cluster, "same.json", {{"network", "small-cnn"}});
  extrapolated(
      cluster, "half.json", {{"network.bandwidth", "400Mbps"}}, {{"network.bandwidth", "200Mbps"}});

  // resnet20's 1 MB takes 1 ms each way: a latency of 10 us stays.
  CHECK(exchange_s("half.json") == Approx(2 * exchange_s("same.json")).epsilon(0.06));
}

TEST_CASE("a cluster calibrated for training must have as many ranks", "[cli]") {
  const FakeCluster cluster;
  const auto write = [&](const std::string& file, const Json& more) {
    cluster.experiment(file, "small-cnn", {{"strategy", "sync"}}, "train", more);
    Json document = Json::parse(cluster.folder.read(file));
    document["validate"]["ranks"] = 4;
    document["validate"]["calibrate"] = {
        {"name", "two nodes"}, {"launch", "bash cluster.sh"}, {"ranks", 2}, {"batch", 16}};
    cluster.folder.write(file, document.dump());
  };
  write("two.json", Json::object());
  write("four.json", {{"node.count", 4}});

  const Json two = Json::parse(cluster.validate("two.json").out)["rows"][0];
  const Json four = first_row(cluster.validate("four.json"));

  CHECK(two["forecast"].is_null());
  CHECK(two["problems"] ==
        Json::array({"the forecast has 2 ranks, the run 4; expected node.count, or another figure "
                     "of the calibrated platform, that makes them equal"}));
  CHECK(four["forecast"]["workers"] == 4);
}

TEST_CASE("a row whose runs differ is run again until its error is known", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "resnet20", {{{"strategy", "sync"}}, {{"strategy", "dlb"}}});
  // sync and dlb in turn, then sync alone: of 5, 6, 5, 5 the uncertainty is 10.7 %, of 5, 6,
  // 5 17.8.
  cluster.folder.write("takes", "5\n7\n6\n7\n5\n5\n");

  const Outcome outcome = cluster.folder.run(
      "validate e.json --folder kept --format json --repetitions 2 --precision 12%");

  CAPTURE(outcome.err);
  const Json rows = Json::parse(outcome.out)["rows"];
  CHECK(rows[0]["measured"].size() == 4);
  CHECK(rows[1]["measured"].size() == 2);
  CHECK(cluster.calls() ==
        Calls{"measure", "emulate", "emulate", "emulate", "emulate", "emulate", "emulate"});
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
  CHECK(cluster.calls() == Calls{"measure", "emulate"});
}

TEST_CASE("a row that has run before is tried again in the next repetition", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json", "small-cnn", {{"strategy", "sync"}});
  static_cast<void>(first_row(cluster.validate("e.json")));
  static_cast<void>(cluster.calls());
  cluster.folder.write("broken", "emulate");

  const Json row = Json::parse(cluster.validate("e.json", 3).out)["rows"][0];

  CHECK(row["measured"].size() == 1);
  CHECK(cluster.calls() == Calls{"emulate", "emulate"});
}

TEST_CASE("a run that reports another strategy is a failure, and is not kept", "[cli]") {
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
