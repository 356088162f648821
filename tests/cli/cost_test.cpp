// SPDX-License-Identifier: Apache-2.0
// Costs of forecasts, and ranking by them.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

/// pair.json with a price.
std::string priced(const std::string& rate) {
  return pair_with("\"count\": 2,",
                   "\"count\": 2, \"price\": {\"rate\": \"" + rate +
                       "\", \"source\": {\"grade\": \"estimated\", \"method\": \"made up\"}},");
}

/// One node trains slower and is cheaper than two: exchanges cost time.
const std::string kPricedSweep =
    "simulate --platform priced.json --network resnet20 --dataset cifar10 --epochs 1 "
    "--batch-seconds gpu=10ms --strategy sync --sweep nodes=1,2";

TEST_CASE("a forecast on priced nodes has a cost, and one without prices has none", "[cli]") {
  const Folder folder;
  folder.write("priced.json", priced("3.6EUR/h"));
  const auto run =
      nlohmann::json::parse(folder.run(kPricedSweep + " --format json").out)["runs"][0];

  CHECK(run["cost"]["currency"] == "EUR");
  CHECK(run["cost"]["per_hour"] == 3.6);
  CHECK(run["cost"]["epoch"].get<double>() == Approx(0.001 * run["epoch_s"].get<double>()));
  CHECK_THAT(folder.run(kPricedSweep).out, Catch::Contains("job cost"));
  CHECK_THAT(folder.run(kJob + " --strategy sync").out, !Catch::Contains("job cost"));
}

TEST_CASE("points of a sweep are ranked together, by time or by cost", "[cli]") {
  const Folder folder;
  folder.write("priced.json", priced("3.6EUR/h"));
  const Outcome by_time = folder.run(kPricedSweep + " --rank-by time");
  const Outcome by_cost = folder.run(kPricedSweep + " --rank-by cost");

  REQUIRE(messages_of(by_time).empty());
  const std::vector<std::string> fastest = lines(by_time.out);
  const std::vector<std::string> cheapest = lines(by_cost.out);
  REQUIRE(fastest.size() > 5);
  CHECK(fastest[0] == "resnet20 on cifar10, times of all data:");
  CHECK(fastest[4].starts_with("1  nodes 2  sync"));
  CHECK(cheapest[4].starts_with("1  nodes 1  sync"));
  CHECK_THAT(cheapest[4], Catch::Contains(" EUR  *"));
  CHECK_THAT(by_cost.out, Catch::Contains("  *: nothing is as fast and as cheap.\n"));

  const auto json =
      nlohmann::json::parse(folder.run(kPricedSweep + " --rank-by cost --format json").out);
  CHECK(json["runs"][0]["nodes"] == 1);
  CHECK(json["pareto_front"] == nlohmann::json::array({0, 1}));
}

TEST_CASE("below the table of a sweep is the Pareto front of time and cost", "[cli]") {
  const Folder folder;
  folder.write("priced.json", priced("3.6EUR/h"));
  const std::string out = folder.run(kPricedSweep).out;

  CHECK_THAT(out, Catch::Contains("\n  Nothing is as fast and as cheap (all data):\n"));
  CHECK_THAT(out, Catch::Contains(" EUR: sync, nodes 2\n"));
  CHECK_THAT(out, Catch::Contains(" EUR: sync, nodes 1\n"));
}

TEST_CASE("ranking by a missing figure, or in two currencies, is refused", "[cli]") {
  const Folder folder;
  folder.write("euro.json", priced("1EUR/h"));
  folder.write("dollar.json", priced("1USD/h"));
  const auto error_of = [&](const std::string& arguments) {
    const Outcome outcome = folder.run(
        "simulate --network resnet20 --dataset cifar10 --epochs 1 "
        "--batch-seconds gpu=10ms --strategy sync " +
        arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };

  CHECK(error_of("--platform pair.json --rank-by cost") ==
        "epochcast: --rank-by: nothing has a cost; expected a \"price\" of the platform's nodes "
        "(docs/cost-and-energy.md)\n");
  CHECK(error_of("--platform pair.json --rank-by energy") ==
        "epochcast: --rank-by: nothing has an energy; expected the \"power\" of the platform's "
        "devices (docs/cost-and-energy.md)\n");
  CHECK(error_of("--platform pair.json --rank-by speed") ==
        "epochcast: --rank-by: got \"speed\"; expected time, cost or energy\n");
  CHECK(error_of("--platform euro.json --sweep platform=euro.json,dollar.json --rank-by cost") ==
        "epochcast: --rank-by: costs are in EUR and in USD; expected platforms with prices in one "
        "currency\n");
}

}  // namespace
}  // namespace epochcast::tests
