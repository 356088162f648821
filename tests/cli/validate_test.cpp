// SPDX-License-Identifier: Apache-2.0
// What `epochcast validate --folder` keeps, on a cluster that tells what files say.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/result.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Every command is a line in `calls`; `broken` names one that fails.
constexpr const char* kCluster = R"sh(shift
echo "$1" >>calls
test "$(cat broken 2>/dev/null)" != "$1" || { echo broken >&2; exit 3; }
for word in "$@"; do
  case $word in
    --strategy=*) strategy=${word#*=} ;;
    --network=*) network=${word#*=} ;;
  esac
done
case $1-$2 in
  measure-messages) cp messages.json "${!#}" ;;
  measure-batches) cp batches.json "${!#}" ;;
  *) sed "s/STRATEGY/$(cat other 2>/dev/null || echo "$strategy")/; s/NETWORK/$network/" run.json ;;
esac
)sh";

std::string messages() {
  Json costs = Json::array();
  for (const int bytes : {4, 4096, 65536, 1 << 20, 1 << 22}) {
    const double seconds = 1e-5 + static_cast<double>(bytes) / 1e9;
    const Json samples = {0.99 * seconds, seconds, 1.01 * seconds, seconds};
    for (const auto& [kind, scope] : {std::pair("ping-pong", "between"), {"ring-step", "all"}})
      costs.push_back({{"kind", kind}, {"scope", scope}, {"bytes", bytes}, {"samples_s", samples}});
  }
  return Json{{"schema", "epochcast.message-trace/1"},
              {"name", "pair-of-nodes"},
              {"title", "Two nodes"},
              {"source", {{"grade", "estimated"}, {"method", "made up"}}},
              {"ranks", 2},
              {"nodes", 2},
              {"node_of_rank", {0, 1}},
              {"costs", costs}}
      .dump();
}

std::string batches() {
  return R"({"schema": "epochcast.trace/1", "name": "b", "title": "b", "device": "this-cpu",
             "source": {"grade": "estimated", "method": "made up"},
             "costs": [{"network": "small-cnn", "input": [3, 32, 32],
                        "batches": [{"batch": 32, "seconds": [0.01, 0.011, 0.012]}]}]})";
}

class Cluster {
 public:
  Cluster() {
    folder.write("cluster.sh", kCluster);
    folder.write("messages.json", messages());
    folder.write("batches.json", batches());
    run_takes(5);
  }

  void run_takes(double epoch_s) const {
    RunResult run;
    run.strategy = "STRATEGY";
    run.network = "NETWORK";
    run.epoch_s = epoch_s;
    run.phases.compute_s = epoch_s;
    folder.write("run.json", to_json({run}, "made up").dump());
  }

  /// An experiment on pair.json, or one that trains.
  void experiment(const std::string& file,
                  const std::string& network,
                  const Json& row,
                  const std::string& command = "emulate") const {
    Json document = {{"schema", "epochcast.experiment/1"},
                     {"network", network},
                     {"dataset", "cifar10"},
                     {"batch", 32},
                     {"epochs", 1},
                     {"validate",
                      {{"command", command},
                       {"cluster", "here"},
                       {"launch", "bash cluster.sh"},
                       {"ranks", 2},
                       {"rows", Json::array({row})}}}};
    if (command == "train") {
      document["data"] = "procedural";
      document["train-samples"] = 640;
    } else {
      document["platform"] = "pair.json";
      document["batch-seconds"] = "gpu=10ms";
    }
    folder.write(file, document.dump());
  }

  [[nodiscard]] Outcome validate(const std::string& file, int repetitions = 1) const {
    return folder.run("validate " + file + " --folder kept --format json --repetitions " +
                      std::to_string(repetitions));
  }

  /// What was asked of the cluster since the last time.
  [[nodiscard]] std::vector<std::string> calls() const {
    std::vector<std::string> said = lines(folder.read("calls"));
    folder.write("calls", "");
    return said;
  }

  /// The folder of the only kept result that begins so.
  [[nodiscard]] fs::path kept(const std::string& prefix) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder.path() / "kept")) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(prefix) && !name.ends_with(".part")) found.push_back(entry.path());
    }
    REQUIRE(found.size() == 1);
    return found.front();
  }

  Folder folder;
};

using Calls = std::vector<std::string>;

Json first_row(const Outcome& outcome) {
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out).at("rows").at(0);
}

TEST_CASE("two experiments that share a folder are each compared with their own run", "[cli]") {
  const Cluster cluster;
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
  const Cluster cluster;
  cluster.experiment("e.json", "resnet20", {{"strategy", "sync"}});
  static_cast<void>(first_row(cluster.validate("e.json")));
  CHECK(cluster.calls() == Calls{"measure", "emulate"});

  CHECK(first_row(cluster.validate("e.json"))["measured"][0]["epoch_s"] == 5);
  CHECK(cluster.calls().empty());

  CHECK(first_row(cluster.validate("e.json", 2))["measured"].size() == 2);
  CHECK(cluster.calls() == Calls{"measure", "emulate"});
}

TEST_CASE("a changed experiment, input file, cluster or program is measured or run anew", "[cli]") {
  const Cluster cluster;
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
    folder.write("cluster.sh", std::string("# elsewhere\n") + kCluster);
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
  const Cluster cluster;
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

TEST_CASE("batches around a run that did not end are measured again with it", "[cli]") {
  const Cluster cluster;
  cluster.experiment("e.json", "small-cnn", {{"strategy", "sync"}}, "train");
  cluster.folder.write("broken", "train");

  const Outcome broken = cluster.validate("e.json");
  CHECK(broken.status == 0);
  const Json row = Json::parse(broken.out)["rows"][0];
  CHECK(row["forecast"].is_null());
  CHECK(row["measured"].empty());
  REQUIRE(row["problems"].size() == 1);
  CHECK(cluster.calls() == Calls{"measure", "measure", "train"});

  cluster.folder.write("broken", "");
  CHECK(first_row(cluster.validate("e.json"))["measured"][0]["epoch_s"] == 5);
  CHECK(cluster.calls() == Calls{"measure", "train", "measure"});
  CHECK(first_row(cluster.validate("e.json"))["own_forecasts"].size() == 1);
  CHECK(cluster.calls().empty());
}

TEST_CASE("a run that tells of another strategy is a failure, and is not kept", "[cli]") {
  const Cluster cluster;
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
