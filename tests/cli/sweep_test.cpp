// SPDX-License-Identifier: Apache-2.0
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

TEST_CASE("each point of a sweep is what the same run alone gives", "[cli]") {
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

TEST_CASE("more combinations than anybody can read are refused", "[cli]") {
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
        "post-local-sgd\n");
  CHECK(one_has.status == 0);
}

}  // namespace
}  // namespace epochcast::tests
