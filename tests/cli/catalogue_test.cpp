// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "collectives/registry.hpp"
#include "core/job/job.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

/// The first words of all lines.
std::vector<std::string> first_column(const std::string& table) {
  std::vector<std::string> names;
  for (const std::string& line : lines(table))
    if (!line.empty()) names.push_back(words(line)[0]);
  return names;
}

void check_lists(const std::string& what, const std::vector<std::string>& names) {
  CAPTURE(what);
  const Outcome outcome = Folder().run("list " + what);

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  const std::vector<std::string> listed = first_column(outcome.out);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(std::find(listed.begin(), listed.end(), name) != listed.end());
  }
}

TEST_CASE("list shows every name of the catalogue", "[cli]") {
  const Catalog catalog{EPOCHCAST_SOURCE_DIR};
  check_lists("platforms", catalog.names("models/platforms"));
  check_lists("devices", catalog.names("models/devices"));
  check_lists("networks", catalog.names("models/networks"));
  check_lists("datasets", catalog.names("models/datasets"));
}

TEST_CASE("list strategies, collectives and compressions show every registered name", "[cli]") {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  check_lists("strategies", names);

  names.clear();
  for (const AllReduceName& each : all_reduce_names()) names.emplace_back(each.name);
  check_lists("collectives", names);

  names.clear();
  for (const CompressionMethod& method : compressions()) names.emplace_back(method.name);
  check_lists("compressions", names);
}

TEST_CASE("list traces shows every trace file with its device", "[cli]") {
  const Outcome outcome = Folder().run("list traces");

  CHECK(outcome.status == 0);
  for (const TraceFile& file : catalog_traces(Catalog{EPOCHCAST_SOURCE_DIR})) {
    CAPTURE(file.name);
    CHECK(outcome.out.find(file.device) != std::string::npos);
    CHECK(outcome.out.find(file.name) != std::string::npos);
  }
}

void check_strategies_on(const std::vector<std::string>& platforms) {
  for (const std::string& platform : platforms) {
    CAPTURE(platform);
    const Outcome outcome = Folder().run("simulate --platform " + platform +
                                         " --network resnet20 --dataset cifar10 --batch 32 "
                                         "--epochs 1 --local-steps 4 --repetitions 2 "
                                         "--format json");

    REQUIRE(outcome.status == 0);
    const auto result = nlohmann::json::parse(outcome.out);
    std::size_t count = result["runs"].size();
    for (const auto& each : result.value("not_forecast", nlohmann::json::array())) {
      ++count;
      // Need CPUs beside other devices, a link inside the node to a server, or long.
      const Strategy& strategy = find_strategy(each["strategy"].get<std::string>());
      const bool needs_servers = strategy.participants >= Participants::workers_and_servers;
      const bool needs_long =
          each["problems"][0].get<std::string>().find("take long to simulate") != std::string::npos;
      CHECK((needs_servers || needs_long));
      CHECK(each["problems"].size() == 1);
    }
    CHECK(count == strategies().size() + 1);  // sync with and without overlap
  }
}

TEST_CASE("every strategy is forecast, or named with what its platform lacks", "[cli]") {
  check_strategies_on({"server-2cpu-8gpu", "deep-est-esb"});
}

TEST_CASE("every strategy is forecast on every platform of the catalogue, or named",
          "[cli][long]") {
  check_strategies_on(Catalog{EPOCHCAST_SOURCE_DIR}.names("models/platforms"));
}

TEST_CASE("the table lists strategies that do not apply, with the reason", "[cli]") {
  const Folder folder;
  folder.write("gpus.json", pair_with("\"cpu\"", "\"fpga\""));
  const std::string job =
      "simulate --platform gpus.json --network resnet20 --dataset cifar10 --epochs 1 "
      "--batch-seconds gpu=1s";
  const std::string why =
      "strategy byteps needs devices that train and CPUs that sum; platform pair has only the "
      "former; add CPUs to the `devices` of its nodes, such as {\"class\": \"cpu\", \"model\": "
      "\"host\", \"count\": 2, \"reduce\": \"10GBps\"}";

  const Outcome all = folder.run(job);
  const Outcome swept = folder.run(job + " --strategy sync --sweep strategy=all");
  const Outcome named = folder.run(job + " --strategy sync,byteps");

  CHECK(all.status == 0);
  CHECK(all.out.find("\n  byteps: not forecast: " + why + "\n") != std::string::npos);
  CHECK(swept.status == 0);
  CHECK(named.status == 2);
  CHECK(named.err == "epochcast: " + why + "\n");
}

}  // namespace
}  // namespace epochcast::tests
