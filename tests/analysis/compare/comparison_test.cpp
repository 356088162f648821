// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/comparison.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Names = std::vector<std::string>;

/// An epoch of as many seconds over all 1000 samples: 6 of 10 parts computed, 3 exchanged, 1
/// blocked.
RunResult run_of(const std::string& strategy, double epoch_s) {
  RunResult run;
  run.strategy = strategy;
  run.network = "net";
  run.dataset = "dots";
  run.epochs = 1;
  run.samples_per_epoch = 1000;
  run.train_samples = 1000;
  run.epoch_s = epoch_s;
  run.phases =
      0.1 * epoch_s * PhaseTimes{.compute_s = 6, .exposed_communication_s = 3, .blocked_s = 1};
  run.inter_node_bytes = 100;
  run.config = {{"network", "net"}, {"nodes", "4"}};
  return run;
}

RunResult with_interval(RunResult run, double low_s, double high_s) {
  run.epoch_s_interval = Interval{.low_s = low_s, .high_s = high_s};
  return run;
}

RunResult with_setting(RunResult run, const std::string& name, const std::string& value) {
  std::erase_if(run.config, [&](const SettingText& setting) { return setting.name == name; });
  run.config.push_back({name, value});
  return run;
}

Comparison compared(const std::vector<RunResult>& a, const std::vector<RunResult>& b) {
  return compare({.name = "a.json", .runs = a}, {.name = "b.json", .runs = b});
}

Names names_of(const Comparison& comparison) {
  Names names;
  for (const ComparedPair& pair : comparison.pairs) names.push_back(pair.name);
  return names;
}

/// Two workers that average once an epoch of 10 iterations.
RunResult rare(RunResult run, std::int64_t period) {
  run.workers = 2;
  run.iterations_per_epoch = 10;
  run.rounds_per_epoch = (10 + period - 1) / period;
  run.by_device = {{.device_class = "gpu",
                    .model = "a10",
                    .role = "trains",
                    .workers = 2,
                    .batch = 1,
                    .local_steps = period,
                    .phases = {}}};
  return run;
}

TEST_CASE("pairs that average at most once an epoch come last, with the reason") {
  const Comparison comparison = compared({rare(run_of("node-based", 10), 10), run_of("sync", 10)},
                                         {rare(run_of("node-based", 2), 10), run_of("sync", 9)});

  CHECK(names_of(comparison) == Names{"sync", "node-based"});
  CHECK(comparison.pairs[0].not_ranked.empty());
  CHECK_THAT(comparison.pairs[1].not_ranked, Catch::StartsWith("not ranked: "));
}

TEST_CASE("a pair shows the period and the overlap of both sides") {
  const Comparison comparison = compared(
      {rare(run_of("node-based", 10), 5), with_setting(run_of("sync", 9), "overlap", "bucket")},
      {rare(run_of("node-based", 2), 10), with_setting(run_of("sync", 9), "overlap", "bucket")});

  CHECK(comparison.pairs[0].shown == "sync, overlap");
  CHECK(comparison.pairs[1].shown == "node-based, K' 5 -> node-based, K' 10 = an epoch");
}

TEST_CASE("the biggest difference comes first: twice as fast is as much as twice as slow") {
  const Comparison comparison =
      compared({run_of("sync", 10), run_of("dlb", 10), run_of("byteps", 10)},
               {run_of("sync", 11), run_of("dlb", 4), run_of("byteps", 20)});

  CHECK(names_of(comparison) == Names{"dlb", "byteps", "sync"});  // 2.5, 2 and 1.1 times
  CHECK(comparison.pairs[0].slower() == Approx(-0.6));
  CHECK(comparison.pairs[1].slower() == Approx(1));
}

TEST_CASE("a pair shows the phase of the difference") {
  RunResult slower = run_of("sync", 10);
  slower.epoch_s = 12;
  slower.phases.exposed_communication_s = 6;  // 3 more
  slower.phases.compute_s = 5;                // 1 less

  const ComparedPair pair = compared({run_of("sync", 10)}, {slower}).pairs.at(0);
  CHECK(pair.b.phases.exposed_communication_s - pair.a.phases.exposed_communication_s == Approx(3));
  CHECK(pair.largest_part() == "exchange");

  CHECK(compared({slower}, {run_of("sync", 10)}).pairs.at(0).largest_part() == "exchange");
  CHECK(compared({slower}, {slower}).pairs.at(0).largest_part().empty());
  // Another order of additions changes the rounding.
  RunResult again = slower;
  again.epoch_s *= 1 + 1e-15;
  again.phases.compute_s *= 1 + 1e-15;
  CHECK(compared({slower}, {again}).pairs.at(0).largest_part().empty());
}

TEST_CASE("epochs of unequal length are compared for the number of samples in A's data set") {
  RunResult half = run_of("sync", 10);
  half.samples_per_epoch = 500;

  const ComparedPair pair = compared({run_of("sync", 10)}, {half}).pairs.at(0);
  CHECK(pair.b.time_s == Approx(20));
  CHECK(pair.b.phases.compute_s == Approx(12));
  CHECK(pair.more_bytes() == Approx(1.0));
}

TEST_CASE("runs of one strategy are distinguished by the settings in which they differ") {
  const Comparison comparison =
      compared({run_of("sync", 10), with_setting(run_of("sync", 5), "nodes", "8")},
               {with_setting(run_of("sync", 6), "nodes", "8"),
                with_setting(run_of("sync", 3), "nodes", "16")});

  CHECK(names_of(comparison) == Names{"sync, nodes 8"});
  CHECK(comparison.only_a == Names{"sync, nodes 4"});
  CHECK(comparison.only_b == Names{"sync, nodes 16"});
  CHECK(comparison.settings.empty());
}

TEST_CASE("repetitions are paired in their order") {
  const Comparison comparison =
      compared({run_of("sync", 10), run_of("sync", 20)}, {run_of("sync", 11), run_of("sync", 40)});

  CHECK(names_of(comparison) == Names{"sync, run 2", "sync"});
}

TEST_CASE("different settings are listed once, or with the pairs concerned") {
  const auto faster = [](RunResult run) { return with_setting(std::move(run), "nodes", "8"); };
  const Comparison comparison = compared(
      {run_of("sync", 10), with_setting(run_of("node-based", 10), "averaging-period", "4")},
      {faster(run_of("sync", 5)),
       faster(with_setting(run_of("node-based", 5), "averaging-period", "8"))});

  REQUIRE(comparison.settings.size() == 2);
  CHECK(comparison.settings[0].name == "nodes");
  CHECK(comparison.settings[0].a == "4");
  CHECK(comparison.settings[0].b == "8");
  CHECK(comparison.settings[0].of.empty());
  CHECK(comparison.settings[1].name == "averaging-period");
  CHECK(comparison.settings[1].of == "node-based");
}

TEST_CASE("a difference that both intervals allow is not significant") {
  const auto significance = [](const RunResult& a, const RunResult& b) {
    return compared({a}, {b}).pairs.at(0).is_significant();
  };
  const RunResult ten = run_of("sync", 10);
  const RunResult eleven = run_of("sync", 11);

  CHECK(significance(with_interval(ten, 9, 11.5), with_interval(eleven, 9.5, 12)) == false);
  CHECK(significance(with_interval(ten, 9, 10.5), with_interval(eleven, 9.5, 12)) == true);
  CHECK(significance(with_interval(ten, 9, 11.5), eleven) == false);
  CHECK(significance(with_interval(ten, 9, 10.5), eleven) == true);
  CHECK(significance(ten, eleven) == std::nullopt);
}

TEST_CASE("B exceeds a bound when it is significantly above it") {
  const RunResult ten = run_of("sync", 10);
  const RunResult eleven = run_of("sync", 11);

  CHECK(exceeded(compared({ten}, {eleven}), {.slower = 0.05}) ==
        Names{"sync: B is slower by 10.00 %, above the bound of 5.00 %"});
  CHECK(exceeded(compared({ten}, {eleven}), {.slower = 0.1}).empty());
  CHECK(exceeded(compared({eleven}, {ten}), {.slower = 0}).empty());
  CHECK(exceeded(compared({with_interval(ten, 9, 12)}, {eleven}), {.slower = 0.05}).empty());
}

TEST_CASE("runs missing in B exceed every bound, but without bounds nothing is checked") {
  const Comparison comparison =
      compared({run_of("sync", 10), run_of("dlb", 10)}, {run_of("sync", 10)});

  CHECK(exceeded(comparison, {}).empty());
  CHECK(exceeded(comparison, {.slower = 0.05}) ==
        Names{"dlb: is in A only, so there is no bound that B keeps"});
  CHECK(exceeded(compared({run_of("sync", 10)}, {run_of("sync", 10)}), {.costlier = 0.1}) ==
        Names{"sync: cost cannot be compared"});
}

TEST_CASE(
    "costs and energies are for the same number of samples; a more expensive B exceeds its bound") {
  RunResult a = run_of("sync", 10);
  a.cost = RunCost{.rate = {3.6, "USD"}};
  a.energy = RunEnergy{.idle_w = 1, .epoch_j = 100};
  RunResult b = run_of("sync", 5);
  b.cost = RunCost{.rate = {10.8, "USD"}};
  b.energy = RunEnergy{.idle_w = 1, .epoch_j = 80};

  const Comparison comparison = compared({a}, {b});
  const ComparedPair& pair = comparison.pairs.at(0);
  CHECK(pair.a.cost == Approx(0.01));  // 10 s of 3.60 USD/h
  CHECK(pair.costlier() == Approx(0.5));
  CHECK(pair.more_energy() == Approx(-0.2));
  CHECK(exceeded(comparison, {.costlier = 0.4, .more_energy = 0}) ==
        Names{"sync: B costs more by 50.00 %, above the bound of 40.00 %"});
}

TEST_CASE("costs in several currencies are not compared, with a note") {
  RunResult a = run_of("sync", 10);
  a.cost = RunCost{.rate = {3.6, "USD"}};
  RunResult b = a;
  b.cost->rate.currency = "EUR";

  const Comparison comparison = compared({a}, {b});
  CHECK_FALSE(comparison.pairs.at(0).costlier());
  CHECK(comparison.notes ==
        Names{"costs are not compared: they are in several currencies (EUR, USD)"});
}

TEST_CASE("different work is compared, with a note") {
  RunResult other = run_of("sync", 10);
  other.network = "other";
  other.dataset = "lines";
  other.train_samples = 2000;
  other.samples_per_epoch = 2000;
  other.epochs = 7;

  const Comparison comparison = compared({run_of("sync", 10)}, {other});
  CHECK(comparison.pairs.at(0).b.time_s == Approx(5));  // half of its data set
  CHECK(comparison.notes ==
        Names{"A trains net, B other: these are not the same work",
              "A trains on 1000 samples (dots), B on 2000 (lines): compared is what as many "
              "samples as A has take",
              "epochs of the job: 1 in A, 7 in B; compared is one epoch"});
}

TEST_CASE("without common runs, the error lists both sides") {
  CHECK_THROWS_WITH(compared({run_of("sync", 1)}, {run_of("dlb", 1), run_of("byteps", 1)}),
                    "nothing is in both: A (a.json) has sync, B (b.json) has dlb; byteps");
}

TEST_CASE("figures of platforms differ by their place; names, titles and sources do not count") {
  NodeGroup nodes;
  nodes.name = "n";
  nodes.count = 4;
  nodes.devices.emplace_back();
  nodes.devices[0].device_class = "gpu";
  nodes.devices[0].model = "g";
  Platform a;
  a.name = "one";
  a.nodes = {nodes};
  Platform b = a;
  b.name = "two";
  b.nodes[0].count = 8;
  b.nodes[0].price = NodePrice{.rate = {2, "EUR"}, .source = {.method = "list"}};

  const std::vector<InputDifference> figures = figure_differences(a, b);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].name == "nodes/0/count");
  CHECK(figures[0].a == "4");
  CHECK(figures[0].b == "8");
  CHECK(figures[1].name == "nodes/0/price/rate");
  CHECK(figures[1].a.empty());
  CHECK(figures[1].b == "2EUR/h");
}

TEST_CASE("a comparison's JSON has both runs, changes as shares, and null for unknown values") {
  const nlohmann::ordered_json json =
      to_json(compared({run_of("sync", 10)}, {run_of("sync", 12)}), "epochcast compare a b");

  CHECK(json["schema"] == "epochcast.comparison/1");
  CHECK(json["pairs"][0]["slower"].get<double>() == Approx(0.2));
  CHECK(json["pairs"][0]["is_significant"].is_null());
  CHECK(json["pairs"][0]["costlier"].is_null());
  CHECK(json["pairs"][0]["a"]["compute_s"] == 6);
  CHECK(json["provenance"]["command"] == "epochcast compare a b");
}

}  // namespace
}  // namespace epochcast::tests
