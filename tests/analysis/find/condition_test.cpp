// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/condition.hpp"

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

std::string refused(const std::string& text) {
  const Texts problems = problems_of([&] { static_cast<void>(parse_condition(text)); });
  return problems.empty() ? "" : problems.front();
}

/// 100 samples in an epoch of 10 s, of which 2 s are exposed and 1 s blocked.
RunResult run_of(int workers, double epoch_s) {
  RunResult run;
  run.workers = workers;
  run.samples_per_epoch = run.train_samples = 100;
  run.epochs = 3;
  run.startup_s = 1;
  run.epoch_s = epoch_s;
  run.phases = {.compute_s = 0.7 * epoch_s,
                .exposed_communication_s = 0.2 * epoch_s,
                .blocked_s = 0.1 * epoch_s};
  run.intra_node_bytes = 5;
  run.inter_node_bytes = 7;
  return run;
}

TEST_CASE("a condition is a quantity, a sign and a bound with the quantity's unit") {
  const Condition share = parse_condition("exposed < 10%");
  CHECK(share.quantity->name == "exposed");
  CHECK(share.bound == Approx(0.1));
  CHECK(share.holds(0.09));
  CHECK_FALSE(share.holds(0.1));
  CHECK(parse_condition("exposed<=0.1").holds(0.1));
  CHECK(parse_condition("efficiency > 90 %").holds(0.91));
  CHECK_FALSE(parse_condition("efficiency > 90%").holds(0.9));
  CHECK(parse_condition("epoch < 2min").bound == 120);
  CHECK(parse_condition("exchanged < 3 GB").bound == 3e9);
  CHECK(parse_condition("throughput >= 5000/s").bound == 5000);
  CHECK(parse_condition("speed-up > 7.5x").bound == 7.5);
}

TEST_CASE("bounds on cost have the platform's currency, bounds on energy a unit") {
  RunResult run = run_of(1, 10);
  run.platform = "cloud";
  run.cost = RunCost{.rate = {.per_hour = 3600, .currency = "USD"}};
  run.energy = RunEnergy{.idle_w = 5, .epoch_j = 40};
  const Condition dollars = parse_condition("cost <= 31 USD");

  // Three epochs of 10 s after a start of one second, at a dollar a second.
  CHECK(dollars.bound == 31);
  CHECK(dollars.value({.run = run}) == Approx(31));
  CHECK(dollars.value_text(31) == "31.00 USD");
  CHECK(dollars.value({.run = run, .longer_s = 1}) == Approx(34));
  // 5 J for the start, 40 J for each epoch.
  CHECK(parse_condition("energy < 1Wh").value({.run = run}) == Approx(125));
  CHECK(parse_condition("energy < 1.5 kWh").bound == Approx(5.4e6));
  CHECK(parse_condition("energy < 20MJ").bound == 20e6);

  const Condition euros = parse_condition("cost < 31EUR");
  CHECK_THROWS_WITH(
      euros.value({.run = run}),
      "--where \"cost < 31EUR\": prices of cloud are in USD; expected a bound in that "
      "currency");
  run.cost.reset();
  run.energy.reset();
  CHECK_THROWS_WITH(dollars.value({.run = run}),
                    "cost: cloud has no prices; expected the cost of an hour of a node "
                    "(\"price\")");
  CHECK_THROWS_WITH(parse_condition("energy < 1J").value({.run = run}),
                    "energy: cloud has no power of its nodes (\"power\" in its file)");
  run.notes = {"no cost: the platform has no price of the nodes \"thin\"",
               "no energy: these devices have no power in their file: \"c\""};
  CHECK_THROWS_WITH(dollars.value({.run = run}),
                    "cost: cloud: the platform has no price of the nodes \"thin\"");
  CHECK_THROWS_WITH(parse_condition("energy < 1J").value({.run = run}),
                    "energy: cloud: these devices have no power in their file: \"c\"");
  CHECK(
      refused("cost < 100") ==
      "--where \"cost < 100\": got \"100\"; expected an amount with its currency, such as 100EUR");
  CHECK(refused("energy < 5") ==
        "--where \"energy < 5\": got \"5\"; expected an energy with its unit, such as 1.5kWh or "
        "20MJ");
}

TEST_CASE("faster than another strategy is given as a factor or a share") {
  const Condition twice = parse_condition("local-sgd faster than sync by 2x");
  CHECK(twice.strategy == "local-sgd");
  CHECK(twice.baseline == "sync");
  CHECK(twice.holds(2));
  CHECK_FALSE(twice.holds(1.99));
  CHECK(parse_condition("faster than sync by 20%").bound == Approx(1.2));
  const Condition at_all = parse_condition("faster than sync");
  CHECK(at_all.strategy.empty());
  CHECK_FALSE(at_all.holds(1));
}

TEST_CASE("the error for an invalid condition has an example of a valid one") {
  const std::string example =
      "expected a condition such as \"exposed < 10%\", \"epoch < 60s\" or \"local-sgd faster than "
      "sync by 2x\"";
  CHECK(refused("exposed") == "--where \"exposed\": got \"exposed\"; " + example);
  CHECK(refused("exposd < 10%") ==
        "--where \"exposd < 10%\": unknown quantity \"exposd\"; did you mean \"exposed\"?");
  CHECK(refused("exposed = 10%") ==
        "--where \"exposed = 10%\": got \"=\"; expected <, <=, > or >=");
  CHECK(refused("exposed <") == "--where \"exposed <\": expected a bound behind <");
  CHECK(refused("exposed < ten") ==
        "--where \"exposed < ten\": got \"ten\"; expected a share such as 5% or 0.05");
  CHECK(refused("exposed < 10") ==
        "--where \"exposed < 10\": got \"10\"; expected a share such as 5% or 0.05");
  CHECK(refused("epoch < 60s and cost < 5USD") ==
        "--where \"epoch < 60s and cost < 5USD\": expected a single condition; another one takes a "
        "second --where");
  CHECK(refused("epoch < 60").starts_with("--where \"epoch < 60\": got \"60\"; expected a time"));
  CHECK(refused("dlb faster than dlb") ==
        "--where \"dlb faster than dlb\": expected two different strategies");
  CHECK(refused("faster than snyc") ==
        "--where \"faster than snyc\": unknown strategy \"snyc\"; did you mean \"sync\"?");
  CHECK(refused("ddp faster than sync") ==
        "--where \"ddp faster than sync\": got \"ddp\"; DistributedDataParallel is --strategy sync "
        "--like ddp");
  CHECK(refused("dlb faster sync") ==
        "--where \"dlb faster sync\": expected \"faster than STRATEGY by 2x\", or \"by 20%\", with "
        "the strategy that is to be faster before it if it is one alone");
}

TEST_CASE("quantities have the values of a run that they name") {
  const RunResult run = run_of(8, 10);
  const RunResult one = run_of(2, 32);
  const auto value = [&](const char* name, double longer_s = 0) {
    return find_quantity(name).value({.run = run, .reference = &one, .longer_s = longer_s});
  };

  CHECK(value("epoch") == 10);
  CHECK(value("all-data") == 10);
  CHECK(value("job") == 31);
  CHECK(value("exposed") == Approx(0.2));
  CHECK(value("blocked") == Approx(0.1));
  CHECK(value("compute") == Approx(0.7));
  CHECK(value("throughput") == 10);
  CHECK(value("exchanged") == 12);
  CHECK(value("speed-up") == Approx(3.2));
  CHECK(value("efficiency") == Approx(3.2 / 4));
  // An epoch that is longer by two seconds, all of them exchange: 4 of 12.
  CHECK(value("exposed", 2) == Approx(1.0 / 3));
  CHECK(value("epoch", 2) == 12);
  CHECK(value("efficiency", 2) == Approx(32.0 / 12 / 4));
}

}  // namespace
}  // namespace epochcast::tests
