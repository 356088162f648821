// SPDX-License-Identifier: Apache-2.0
// Errors of bad input that `epochcast validate` reports before it measures.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/fake_cluster.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

/// Problems of the experiments; the cluster has not run any command.
Lines problems_of(const FakeCluster& cluster, const std::string& files) {
  const Outcome outcome = cluster.validate(files);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(cluster.calls().empty());
  CHECK_FALSE(cluster.folder.has("kept"));
  return lines(outcome.err);
}

TEST_CASE("all mistakes of all experiments are reported before any measurement", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("rows.json",
                     "resnet20",
                     {{{"strategy", "sync"}, {"all-reduce", "rings"}},
                      {{"strategy", "node-bused"}},
                      {{"strategy", "sync"}, {"platform", "none.json"}, {"dataset", "mist"}},
                      {{"strategy", "local-sgd"}, {"local-from", 1}},
                      {{"strategy", "sync"}, {"batch", "many"}},
                      {{"strategy", "local-sgd"}, {"local-steps", "tpu=3"}},
                      {{"strategy", "sync"}, {"train-samples", 60000}}});
  cluster.experiment("all.json",
                     "resnet200",
                     {{{"strategy", "sync"}}, {{"strategy", "dlb"}}},
                     "emulate",
                     {{"averaging-period", 4}});

  const Lines problems = problems_of(cluster, "rows.json all.json");

  CHECK(
      problems ==
      Lines{"epochcast: rows.json: /validate/rows/1: --strategy: unknown strategy "
            "\"node-bused\"; did you mean \"node-based\"?",
            "epochcast: rows.json: /validate/rows/3: --local-from: strategy local-sgd has no such "
            "setting; those that have: post-local-sgd, slowmo",
            "epochcast: rows.json: /validate/rows/4: /batch: got \"many\"; expected a whole "
            "number of at least 1",
            "epochcast: rows.json: /validate/rows/0: --all-reduce: unknown all-reduce algorithm "
            "\"rings\"; did you mean \"ring\"?",
            "epochcast: rows.json: /validate/rows/2: --platform: none.json: no such file",
            "epochcast: rows.json: /validate/rows/2: --dataset: unknown dataset \"mist\"; did you "
            "mean \"mnist\"?",
            "epochcast: rows.json: /validate/rows/5: --local-steps: unknown device class \"tpu\"; "
            "did you mean \"gpu\"?",
            "epochcast: rows.json: /validate/rows/6: --train-samples: got 60000; the data set has "
            "50000",
            "epochcast: all.json: --averaging-period: none of sync,dlb has such a setting; those "
            "that have: node-based",
            "epochcast: all.json: --network: unknown network \"resnet200\"; did you mean "
            "\"resnet20\"?"});
}

TEST_CASE("rows that train are looked at, too", "[cli]") {
  const FakeCluster cluster;
  cluster.folder.write("wide-resnet-16.json", "{}");
  cluster.experiment(
      "e.json",
      "small-cnn",
      {{{"strategy", "sync"}, {"devices", "cuda"}},
       {{"strategy", "sync"}, {"slow-down", "2=3"}},
       {{"strategy", "byteps"}},
       {{"strategy", "local-sgd"}, {"local-steps", "gpu=3"}},
       {{"strategy", "sync"}, {"optimizer", "sdg"}, {"network", "wide-resnet-16.json"}},
       {{"strategy", "sync"}, {"optimizer", "adam"}, {"momentum", 0.5}},
       {{"strategy", "sync"}, {"pretrained", "weights.pt"}},
       {{"strategy", "sync"}, {"network", "resnt20"}, {"dataset", "none.json"}},
       {{"strategy", "sync"}}},
      "train");

  CHECK(
      problems_of(cluster, "e.json") ==
      Lines{"epochcast: e.json: /validate/rows/0: --devices: got \"cuda\"; validation trains on "
            "cpu alone",
            "epochcast: e.json: /validate/rows/1: --slow-down: unknown device class or rank "
            "\"2\"; did you mean \"0\"?",
            "epochcast: e.json: /validate/rows/2: --strategy: byteps needs ranks that sum; "
            "validation trains on all",
            "epochcast: e.json: /validate/rows/3: --local-steps: unknown device class \"gpu\"; "
            "did you mean \"cpu\"?",
            "epochcast: e.json: /validate/rows/4: --optimizer: unknown optimizer \"sdg\"; did "
            "you mean \"sgd\"?",
            "epochcast: e.json: /validate/rows/4: --network: unknown network "
            "\"wide-resnet-16.json\"; did you mean \"wide-resnet-16\"?",
            "epochcast: e.json: /validate/rows/5: --momentum: adam has none; expected --optimizer "
            "sgd or rmsprop",
            "epochcast: e.json: /validate/rows/6: weights.pt: cannot be read: No such file or "
            "directory",
            "epochcast: e.json: /validate/rows/7: --network: unknown network \"resnt20\"; did you "
            "mean \"resnet20\"?",
            "epochcast: e.json: /validate/rows/7: --dataset: none.json: no such file"});
}

TEST_CASE("a mistake that all rows share is reported once", "[cli]") {
  const FakeCluster cluster;
  cluster.experiment("e.json",
                     "resnet20",
                     {{{"strategy", "sync"}}, {{"strategy", "dlb"}}},
                     "emulate",
                     {{"dataset", "cifr10"}});

  CHECK(
      problems_of(cluster, "e.json") ==
      Lines{"epochcast: e.json: --dataset: unknown dataset \"cifr10\"; did you mean \"cifar10\"?"});
}

TEST_CASE("mistakes in the calibrated cluster are reported before any measurement", "[cli]") {
  const FakeCluster cluster;
  const auto write =
      [&](const std::string& file, const Json& calibrate, const Json& more = Json::object()) {
        cluster.experiment(file, "resnet20", {{{"strategy", "sync"}}}, "emulate", more);
        Json document = Json::parse(cluster.folder.read(file));
        document["validate"]["calibrate"] = calibrate;
        cluster.folder.write(file, document.dump());
      };
  const Json two = {{"name", "two nodes"}, {"ranks", 2}};
  const auto with = [&](const Json& more) {
    Json calibrate = two;
    calibrate.update(more);
    return calibrate;
  };
  write("none.json", Json::object());
  write("batch.json", with({{"batch", 8}}));
  write("strategy.json", with({{"strategy", "dlb"}}));
  write("network.json", with({{"network", "resnet200"}}));
  write("nominal.json", with({{"network.bandwidth", "100Mbps"}}));
  write("asked.json", two, {{"network.bandwidth", "100Mbps"}});
  write("other.json", two, {{"network.latency", "1us"}});

  CHECK(problems_of(cluster,
                    "none.json batch.json strategy.json network.json nominal.json asked.json "
                    "other.json") ==
        Lines{"epochcast: none.json: /validate/calibrate/name: missing",
              "epochcast: none.json: /validate/calibrate/ranks: missing",
              "epochcast: batch.json: /validate/calibrate/batch: got 8; expected no batch: those "
              "of emulated devices are given, not measured",
              "epochcast: strategy.json: /validate/calibrate/strategy: unknown key \"strategy\"; "
              "known: "
              "name, launch, ranks, network, batch, network.bandwidth",
              "epochcast: network.json: --network: unknown network \"resnet200\"; did you mean "
              "\"resnet20\"?",
              "epochcast: nominal.json: network.bandwidth: \"calibrate\" has it, the settings do "
              "not; expected both or neither",
              "epochcast: asked.json: network.bandwidth: expected it in \"calibrate\", too: the "
              "links that are measured",
              "epochcast: other.json: network.latency: validation takes machines as they are; "
              "write a platform file that has it"});
}

}  // namespace
}  // namespace epochcast::tests
