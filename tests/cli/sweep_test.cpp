// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

std::vector<std::string> first_cells(const std::string& csv) {
  std::vector<std::string> cells;
  for (const std::string& line : lines(csv)) {
    const std::size_t end = line.starts_with('"') ? line.find('"', 1) + 1 : line.find(',');
    cells.push_back(line.substr(0, end));
  }
  return cells;
}

TEST_CASE("sweeps multiply, the last one fastest", "[cli]") {
  const Outcome outcome = Folder().run(
      kJob + " --strategy sync,dlb --sweep nodes=1,2 --sweep batch=64,128,256 --format csv");

  CHECK(outcome.status == 0);
  CHECK(first_cells(outcome.out) == std::vector<std::string>{"point",
                                                             "\"nodes 1, batch 64\"",
                                                             "\"nodes 1, batch 64\"",
                                                             "\"nodes 1, batch 128\"",
                                                             "\"nodes 1, batch 128\"",
                                                             "\"nodes 1, batch 256\"",
                                                             "\"nodes 1, batch 256\"",
                                                             "\"nodes 2, batch 64\"",
                                                             "\"nodes 2, batch 64\"",
                                                             "\"nodes 2, batch 128\"",
                                                             "\"nodes 2, batch 128\"",
                                                             "\"nodes 2, batch 256\"",
                                                             "\"nodes 2, batch 256\""});
}

TEST_CASE("each point of a sweep gives the same result as the same run alone", "[cli]") {
  const Folder folder;
  const auto swept = nlohmann::json::parse(
      folder.run(kNoisyJob + " --strategy sync --sweep nodes=1,2 --sweep seed=1,2 --format json")
          .out);
  std::size_t i = 0;
  for (const std::string nodes : {"1", "2"}) {
    for (const std::string seed : {"1", "2"}) {
      const auto alone =
          nlohmann::json::parse(folder
                                    .run(kNoisyJob + " --strategy sync --nodes " + nodes +
                                         " --seed " + seed + " --format json")
                                    .out);

      CHECK(swept["runs"][i++] == alone["runs"][0]);
    }
  }
}

TEST_CASE("values with commas are separated by semicolons", "[cli]") {
  std::vector<std::string> arguments = words(kJob + " --format csv --sweep");
  arguments.emplace_back("strategy=sync,dlb;local-sgd");
  const Outcome outcome = Folder().run(arguments);

  CHECK(outcome.status == 0);
  CHECK(first_cells(outcome.out) ==
        std::vector<std::string>{
            "point", "\"strategy sync,dlb\"", "\"strategy sync,dlb\"", "strategy local-sgd"});
}

TEST_CASE("a sweep may vary the platform", "[cli]") {
  const Folder folder;
  folder.write("slow.json", pair_with("\"1GBps\"", "\"1MBps\""));
  const auto result = nlohmann::json::parse(
      folder.run(kJob + " --strategy sync --sweep platform=pair.json,slow.json --format json").out);

  CHECK(result["runs"][0]["epoch_s"] < result["runs"][1]["epoch_s"]);
}

/// All lines above the legend, which begins with a blank one.
std::vector<std::string> above_legend(const std::string& out) {
  std::vector<std::string> all = lines(out);
  const auto legend = std::find_if(all.begin(), all.end(), [](const std::string& line) {
    return line.starts_with("  Epoch, compute, exchange");
  });
  all.erase(legend == all.end() ? legend : legend - 1, all.end());
  return all;
}

/// Batches of 100 ms, exchanges of 20 ms.
const std::string kPaperJob = kJob + " --exchange-seconds 20ms";

// An epoch has 50,000 / 128 = 390 iterations on one node, 195 on two. One worker exchanges nothing:
// 39.0 s. Two: 195 of 120 ms, 23.4 s, of which 195 of 20 ms are exchanges. 49,920 samples are
// 99.8 % of the data.
TEST_CASE("a sweep is one table, and impossible points are listed below it", "[cli]") {
  const Outcome outcome = Folder().run(kPaperJob + " --strategy sync --sweep nodes=1,2,3");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(above_legend(outcome.out) ==
        std::vector<std::string>{
            "resnet20 on cifar10, platform pair, batch 128 per worker, 2 epochs",
            "",
            "nodes  strategy    epoch  of data  all data  samples/s  per device  compute  exchange "
            " blocked  "
            "# compute = exchange . blocked  rounds  in nodes  between  whole job  inputs     "
            "workers",
            "-----  --------  -------  -------  --------  ---------  ----------  -------  -------- "
            " -------  "
            "------------------------------  ------  --------  -------  ---------  ---------  "
            "----------",
            "    1  sync       39.0 s   99.8 %    39.1 s       1280        1280   39.0 s       0 s "
            "     0 s  "
            "####################               390       0 B      0 B     78.0 s  estimated  "
            "1 test-gpu",
            "    2  sync       23.4 s   99.8 %    23.4 s       2133        1067   19.5 s    3.90 s "
            "     0 s  "
            "#################===               195       0 B      0 B     46.8 s  estimated  "
            "2 test-gpu",
            "",
            "  nodes 3: not forecast: --nodes: got 3; platform pair (pair.json) has 2 nodes; set "
            "node.count for more of them"});
}

TEST_CASE("strategies of a sweep are ranked at each point, and compared with sync there", "[cli]") {
  const Outcome outcome = Folder().run(
      kPaperJob + " --strategy sync,local-sgd --local-steps 300 --sweep nodes=1,2 --sweep seed=4");

  CHECK(outcome.status == 0);
  const std::vector<std::string> all = above_legend(outcome.out);
  REQUIRE(all.size() == 10);
  CHECK(all[0].ends_with("2 epochs  [seed 4]"));
  CHECK(all[4].starts_with("    1  1  local-sgd, H 300    30.0 s   76.8 %    39.1 s    1.00x "));
  CHECK(all[5].starts_with("    1  2  sync                39.0 s   99.8 %    39.1 s    1.00x "));
  CHECK(all[6].empty());
  CHECK(all[7].starts_with("    2  1  sync                23.4 s   99.8 %    23.4 s    1.00x "));
  CHECK(all[8].empty());
  CHECK(
      all[9] ==
      "  local-sgd [nodes 2]: not forecast: --local-steps: one round of 300 steps takes more than "
      "an epoch: 2 workers with batch 128 make 195 steps through 50000 samples");
}

TEST_CASE("settings that a sweep varies are not part of the heading", "[cli]") {
  const Folder folder;
  const std::string job =
      "simulate --platform pair.json --batch-seconds gpu=1s,cpu=1s --strategy sync ";
  const auto heading = [&](const std::string& sweep) {
    return lines(folder.run(job + sweep).out).at(0);
  };

  CHECK(heading("--network resnet20 --sweep dataset=cifar10,cifar100 --epochs 2") ==
        "resnet20, platform pair, 2 nodes: 2 test-gpu, batch 128 per worker, 2 epochs");
  CHECK(
      heading(
          "--dataset cifar10 --sweep network=resnet20,resnet18 --sweep batch=64,128 --epochs 1") ==
      "data set cifar10, platform pair, 2 nodes: 2 test-gpu, 1 epoch");
  CHECK(
      heading("--network resnet20 --dataset cifar10 --sweep epochs=2,3 --sweep workers=gpu,all") ==
      "resnet20 on cifar10, platform pair, batch 128 per worker");
}

TEST_CASE("a sweep over strategies is the ranking of them", "[cli]") {
  const Folder folder;

  CHECK(folder.run(kPaperJob + " --sweep strategy=sync,local-sgd,dlb").out ==
        folder.run(kPaperJob + " --strategy sync,local-sgd,dlb").out);
}

TEST_CASE("JSON and CSV list impossible points, too", "[cli]") {
  const Folder folder;
  const std::string job = kPaperJob + " --strategy sync --sweep nodes=1,3 --format ";
  const Outcome json = folder.run(job + "json");
  const Outcome csv = folder.run(job + "csv");

  CHECK(json.status == 0);
  CHECK(json.err.empty());
  const auto document = nlohmann::json::parse(json.out);
  CHECK(document["runs"].size() == 1);
  CHECK(document["not_forecast"] ==
        nlohmann::json::array({{{"strategy", "sync"},
                                {"point", "nodes 3"},
                                {"problems",
                                 {"--nodes: got 3; platform pair (pair.json) has 2 nodes; set "
                                  "node.count for more of them"}}}}));
  CHECK(csv.status == 0);
  CHECK(csv.err.empty());
  CHECK(lines(csv.out).at(2) ==
        "nodes 3,sync,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,--nodes: got 3; platform pair (pair.json) "
        "has 2 "
        "nodes; set node.count for more of them");
}

TEST_CASE("an unreadable file of one point does not affect the others", "[cli]") {
  const Outcome outcome = Folder().run(
      kPaperJob + " --strategy sync --sweep platform=pair.json,deep-est-ebs --sweep batch=64,128");

  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("\n  platform deep-est-ebs, batch 64; platform deep-est-ebs, batch 128: "
                         "not forecast: --platform: unknown platform \"deep-est-ebs\"; did you "
                         "mean \"deep-est-esb\"?\n") != std::string::npos);
}

TEST_CASE("a sweep without a possible point is an error, exit 2", "[cli]") {
  const Folder folder;
  for (const std::string format : {"table", "json", "csv"}) {
    const Outcome outcome =
        folder.run(kPaperJob + " --strategy sync --sweep nodes=3,4 --format " + format);

    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err ==
          "epochcast: --nodes: got 3; platform pair (pair.json) has 2 nodes; set node.count for "
          "more of them\n"
          "epochcast: --nodes: got 4; platform pair (pair.json) has 2 nodes; set node.count for "
          "more of them\n");
  }
}

TEST_CASE("too large a number of combinations is refused", "[cli]") {
  std::string values = "1";
  for (int i = 2; i <= 1000; ++i) values += "," + std::to_string(i);
  const Outcome outcome =
      Folder().run(kJob + " --sweep seed=" + values + " --sweep batch=" + values);

  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "epochcast: --sweep: more than 100000 combinations; sweep fewer settings at a time\n");
}

TEST_CASE("a setting that no strategy of the sweep has is an error", "[cli]") {
  const Folder folder;
  const std::string two = kJob + " --sweep strategy=sync,dlb";

  const Outcome given = folder.run(two + " --averaging-period 4");
  const Outcome swept = folder.run(two + " --sweep local-from=0,1");
  const Outcome one_has = folder.run(kJob + " --sweep strategy=sync,local-sgd --local-steps 4");

  CHECK(given.err ==
        "epochcast: --averaging-period: none of sync,dlb has such a setting; those that have: "
        "node-based\n");
  CHECK(given.status == 2);
  CHECK(swept.err ==
        "epochcast: --local-from: none of sync,dlb has such a setting; those that have: "
        "post-local-sgd, slowmo\n");
  CHECK(one_has.status == 0);
}

}  // namespace
}  // namespace epochcast::tests
