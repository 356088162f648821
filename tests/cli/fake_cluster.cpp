// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/fake_cluster.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Every command is a line in `calls`; `broken` names one that fails, `interrupted` gives the call
/// at which the user ends the validation, a line of `takes` the time of a run.
constexpr const char* kCluster = R"sh(shift
echo "$1" >>calls
test "$(cat interrupted 2>/dev/null)" != "$(wc -l <calls)" || { kill -INT $PPID; sleep 60; }
test "$(cat broken 2>/dev/null)" != "$1" || { echo broken >&2; exit 3; }
precision=float32
for word in "$@"; do
  case $word in
    --strategy=*) strategy=${word#*=} ;;
    --network=*) network=${word#*=} ;;
    --precision=*) precision=${word#*=} ;;
  esac
done
case $1-$2 in
  measure-messages) cp messages.json "${!#}" ;;
  measure-batches) sed "s/PRECISION/$precision/" batches.json >"${!#}" ;;
  *)
    epoch=$(sed -n "$(grep -vc measure calls)p" takes 2>/dev/null)
    sed "s/STRATEGY/$(cat other 2>/dev/null || echo "$strategy")/; s/NETWORK/$network/
         ${epoch:+s/\"epoch_s\":[^,]*/\"epoch_s\":$epoch/}" run.json
    ;;
esac
)sh";

/// The machine of `epochcast-lab validate --draw`.
constexpr const char* kBox = R"sh(#!/bin/bash
while [ "$1" != -- ]; do shift; done
shift
exec bash cluster.sh "$@"
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
             "costs": [{"network": "small-cnn", "input": [3, 32, 32], "precision": "PRECISION",
                        "batches": [{"batch": 32, "seconds": [0.01, 0.011, 0.012]}]}]})";
}

}  // namespace

FakeCluster::FakeCluster() {
  folder.write("cluster.sh", kCluster);
  folder.write("box", kBox);
  fs::permissions(folder.path() / "box", fs::perms::owner_all);
  folder.write("messages.json", messages());
  folder.write("batches.json", batches());
  run_takes(5);
}

void FakeCluster::run_takes(double epoch_s,
                            const std::vector<TimedRank>& batches,
                            const std::optional<TimedExchanges>& exchanges) const {
  RunResult run;
  run.strategy = "STRATEGY";
  run.network = "NETWORK";
  run.epoch_s = epoch_s;
  run.phases.compute_s = epoch_s;
  run.workers = 2;
  run.timed_batches = batches;
  run.timed_exchanges = exchanges;
  folder.write("run.json", to_json({run}, "made up").dump());
}

void FakeCluster::experiment(const std::string& file,
                             const std::string& network,
                             const Json& rows,
                             const std::string& command,
                             const Json& more) const {
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
                     {"rows", rows.is_array() ? rows : Json::array({rows})}}}};
  if (command == "train") {
    document["data"] = "procedural";
    document["train-samples"] = 640;
  } else {
    document["platform"] = "pair.json";
    document["batch-seconds"] = "gpu=10ms";
  }
  document.update(more);
  folder.write(file, document.dump());
}

Outcome FakeCluster::validate(const std::string& files, int repetitions) const {
  return folder.run("validate " + files + " --folder kept --format json --repetitions " +
                    std::to_string(repetitions));
}

std::vector<std::string> FakeCluster::calls() const {
  if (!folder.has("calls")) return {};
  std::vector<std::string> calls_made = lines(folder.read("calls"));
  folder.write("calls", "");
  return calls_made;
}

fs::path FakeCluster::kept(const std::string& prefix) const {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder.path() / "kept")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && !name.ends_with(".part")) found.push_back(entry.path());
  }
  REQUIRE(found.size() == 1);
  return found.front();
}

}  // namespace epochcast::tests
