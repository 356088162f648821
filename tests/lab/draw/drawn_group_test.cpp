// SPDX-License-Identifier: Apache-2.0
#include "lab/draw/drawn_group.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "base/files/checksum.hpp"
#include "collectives/registry.hpp"
#include "core/formats/network.hpp"
#include "core/job/job.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr std::uint64_t kSeeds = 100;
constexpr std::uint64_t kGroups = 9;

template <typename Check>
void for_each_group(const Check& check) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (std::uint64_t number = 0; number < kGroups; ++number) {
      CAPTURE(seed, number);
      check(draw_group(seed, number));
    }
  }
}

std::string value_of(const DrawnRow& row, const std::string& name) {
  for (const SettingText& setting : row.settings) {
    if (setting.name == name) return setting.value;
  }
  return {};
}

void check_cluster(const DrawnCluster& cluster) {
  CHECK((cluster.ranks.size() >= 2 && cluster.ranks.size() <= 4));
  CHECK(cluster.mbits.size() == cluster.ranks.size());
  for (const int ranks : cluster.ranks) CHECK((ranks == 1 || ranks == 2));
  for (const int mbits : cluster.mbits) CHECK((mbits >= 50 && mbits <= 2000));
  CHECK((cluster.batch >= 4 && cluster.batch <= 32));
}

TEST_CASE("drawn clusters, speeds and lengths keep their ranges") {
  for_each_group([](const DrawnGroup& group) {
    const bool trains = group.command == Command::train;
    check_cluster(group.asked);
    check_cluster(group.calibrated);
    CHECK((group.rows >= 4 && group.rows <= 6));
    CHECK((group.iterations >= 8 && group.iterations <= 400));
    CHECK(group.train_samples() <= 50'000);
    // Bits by Mbit/s: microseconds.
    CHECK(2 * 8 * group.asked.network->gradient_bytes / group.asked.slowest_mbits() <= 500'000);
    if (trains) {
      CHECK(group.workers() == 2);
      CHECK(group.calibrated.workers() == 2);
      CHECK(group.asked.network->sample_us > 0);
      CHECK((group.slow_down >= 10 && group.slow_down <= 80));
      CHECK((group.slowed_rank >= 0 && group.slowed_rank < group.workers()));
    } else {
      CHECK((group.fast_devices >= 1 && group.fast_devices <= group.workers()));
      CHECK((group.fast_batch >= 100 && group.slow_batch <= 2000));
      CHECK((group.slow_batch >= group.fast_batch && group.slow_batch <= 8 * group.fast_batch));
    }
  });
}

TEST_CASE("groups of the two tiers alternate") {
  for (std::uint64_t number = 0; number < kGroups; ++number)
    CHECK(draw_group(5, number).tier ==
          (number % 2 == 0 ? Tier::same_cluster : Tier::extrapolated));
}

TEST_CASE("the calibrated cluster differs from the asked one in up to two properties") {
  std::map<std::string, int> changed;
  for_each_group([&](const DrawnGroup& group) {
    const DrawnCluster& asked = group.asked;
    const DrawnCluster& calibrated = group.calibrated;
    if (group.tier == Tier::same_cluster) {
      CHECK(calibrated == asked);
      return;
    }
    std::vector<std::string> what;
    if (calibrated.ranks.size() != asked.ranks.size()) what.emplace_back("nodes");
    if (calibrated.mbits.front() != asked.mbits.front()) what.emplace_back("bandwidth");
    if (calibrated.ranks.front() != asked.ranks.front()) what.emplace_back("ranks");
    if (calibrated.batch != asked.batch) what.emplace_back("batch");
    if (calibrated.network != asked.network) what.emplace_back("network");
    CHECK((what.size() == 1 || what.size() == 2));
    CHECK(calibrated.ranks.size() <= asked.ranks.size());
    CHECK(calibrated.network->dataset == asked.network->dataset);
    for (const std::string& each : what) ++changed[each];
  });

  CHECK(changed.size() == 5);
}

TEST_CASE("links that are extrapolated differ by half at least and a factor of four at most") {
  for_each_group([](const DrawnGroup& group) {
    const double ratio =
        static_cast<double>(group.asked.mbits.front()) / group.calibrated.mbits.front();
    // Drawn numbers are rounded to two digits.
    CHECK((ratio == 1 || ratio > 1.45 || ratio < 0.69));
    CHECK((ratio < 4.2 && ratio > 0.23));
  });
}

TEST_CASE("of each three groups one trains") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    int trained = 0;
    for (std::uint64_t number = 0; number < 3; ++number)
      trained += draw_group(seed, number).command == Command::train;
    CHECK(trained == 1);
  }
}

TEST_CASE("every network is drawn, and each that trains is trained") {
  std::set<std::string_view> emulated;
  std::set<std::string_view> trained;
  for_each_group([&](const DrawnGroup& group) {
    (group.command == Command::train ? trained : emulated).insert(group.asked.network->name);
  });

  for (const DrawnNetwork& network : drawn_networks()) {
    CAPTURE(network.name);
    CHECK(emulated.contains(network.name));
    CHECK(trained.contains(network.name) == (network.sample_us > 0));
  }
}

TEST_CASE("gradients are as large as the catalogue's") {
  const Catalog catalog = Catalog::standard();
  for (const DrawnNetwork& network : drawn_networks()) {
    CAPTURE(network.name);
    const Dataset dataset =
        load_dataset(catalog.find("models/datasets", std::string(network.dataset), "the test"));
    const auto file = catalog.find("models/networks", std::string(network.name), "the test");

    CHECK(load_network(file, dataset).gradient_bytes() ==
          static_cast<double>(network.gradient_bytes));
  }
}

TEST_CASE("half of the clusters have links of one bandwidth, a third devices of one speed") {
  double groups = 0;
  double equal_links = 0;
  double equal_speeds = 0;
  for_each_group([&](const DrawnGroup& group) {
    if (group.tier != Tier::same_cluster) return;
    if (group.asked.network->gradient_bytes > 1'000'000) return;  // drawn again on slow links
    if (group.command == Command::train) return;  // drawn again where batches are long
    ++groups;
    equal_links +=
        std::count(group.asked.mbits.begin(), group.asked.mbits.end(), group.asked.mbits.front()) ==
        static_cast<std::ptrdiff_t>(group.asked.mbits.size());
    equal_speeds += group.slow_batch == group.fast_batch;
  });

  REQUIRE(groups > 100);
  // Four standard deviations of a share of 120 are 0.18, and few draws are equal by chance.
  CHECK(std::abs(equal_links / groups - 1.0 / 2) < 0.19);
  CHECK(std::abs(equal_speeds / groups - 1.0 / 3) < 0.19);
}

TEST_CASE(
    "drawn strategies, all-reduces and settings are those of the version, all of them known") {
  std::map<std::string, std::set<std::string>> drawn;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (std::uint64_t row = 0; row < 20; ++row) {
      const DrawnRow one = draw_row(seed, 0, row, 0);
      drawn["strategy"].insert(one.strategy);
      JobConfig config;
      for (const SettingText& setting : one.settings) {
        drawn[setting.name].insert(setting.value);
        all_settings().set(config, setting.name, setting.value, "the test");
      }
    }
  }

  CHECK(drawn["strategy"].size() == 12);
  for (const std::string& strategy : drawn["strategy"])
    CHECK(find_strategy(strategy).name == strategy);
  CHECK(drawn["all-reduce"].size() == 10);
  for (const std::string& all_reduce : drawn["all-reduce"]) check_all_reduce(all_reduce);
  CHECK(drawn["averaging-period"] == std::set<std::string>{"1", "2", "4", "8"});
  CHECK(drawn["local-steps"] == std::set<std::string>{"1", "2", "4", "8"});
  CHECK(drawn["overlap"] == std::set<std::string>{"bucket"});
  CHECK(drawn["partition"] == std::set<std::string>{"functional"});
  CHECK(drawn.size() == 16);
}

TEST_CASE("what averages parameters alone is not asked to overlap, byteps has no all-reduce") {
  for (std::uint64_t row = 0; row < 2000; ++row) {
    const DrawnRow one = draw_row(1, 2, row, 0);
    CAPTURE(one.strategy);
    if (one.strategy == "byteps") CHECK(value_of(one, "all-reduce").empty());
    if (one.strategy.ends_with("local-sgd") && one.strategy != "post-local-sgd")
      CHECK(value_of(one, "overlap").empty());
    if (one.strategy == "one-shot") CHECK(value_of(one, "overlap").empty());
  }
}

TEST_CASE("rows that would take minutes are too long") {
  DrawnGroup group;
  group.asked.ranks = {2, 2, 2, 2};
  group.asked.mbits = {300, 300, 300, 300};
  group.asked.network =
      &*std::find_if(drawn_networks().begin(), drawn_networks().end(), [](const auto& each) {
        return each.name == "shufflenetv2-1x";
      });
  group.asked.batch = 8;
  group.iterations = 10;
  group.fast_devices = 8;
  CHECK(group.is_fast(7));
  group.fast_batch = group.slow_batch = 1000;

  // 5 MB take 0.13 s: 10 times 4 passes and a batch of 0.1 s; linear sends 2 * 8 times.
  CHECK(is_short(group, {.strategy = "sync", .settings = {{"all-reduce", "ring"}}}));
  CHECK_FALSE(is_short(group, {.strategy = "sync", .settings = {{"all-reduce", "linear"}}}));
  // One of eight makes all the batches, and exchanges nothing, but the bound does not know.
  group.fast_devices = 1;
  group.first_fast = 6;
  CHECK(group.is_fast(6));
  CHECK_FALSE(group.is_fast(7));
  CHECK_FALSE(is_short(group, {.strategy = "sync-fastest", .settings = {{"all-reduce", "ring"}}}));
}

TEST_CASE("logarithms of drawn numbers are uniform, the numbers have two digits") {
  Random random(1);
  constexpr int kDraws = 20'000;
  int below_middle = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t drawn = log_uniform(random, 50, 2000);
    CHECK((drawn >= 50 && drawn <= 2000));
    CHECK((drawn < 100 || drawn % 10 == 0));
    CHECK((drawn < 1000 || drawn % 100 == 0));
    below_middle += drawn < 316;  // sqrt(50 * 2000)
  }

  // Five standard deviations of a share of 20,000 are 0.018; rounding moves the middle by 0.001.
  CHECK(std::abs(static_cast<double>(below_middle) / kDraws - 0.5) < 0.02);
}

/// Everything that is drawn for a few seeds.
std::string all_text() {
  std::ostringstream text;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t number = 0; number < kGroups; ++number) {
      const DrawnGroup group = draw_group(seed, number);
      text << to_string(group.command) << ' ' << to_string(group.tier) << ' ' << group.iterations
           << ' ' << group.rows << ' ' << group.fast_devices << ' ' << group.first_fast << ' '
           << group.fast_batch << ' ' << group.slow_batch << ' ' << group.slowed_rank << ' '
           << group.slow_down;
      for (const DrawnCluster* cluster : {&group.asked, &group.calibrated}) {
        text << ' ' << cluster->network->name << ' ' << cluster->batch;
        for (const int ranks : cluster->ranks) text << ' ' << ranks;
        for (const int mbits : cluster->mbits) text << ' ' << mbits;
      }
      for (std::uint64_t row = 0; row < 6; ++row) {
        for (const std::uint64_t attempt : {0, 1}) {
          const DrawnRow drawn = draw_row(seed, number, row, attempt);
          text << '\n' << drawn.strategy << (is_short(group, drawn) ? "" : " too long");
          for (const SettingText& each : drawn.settings)
            text << ' ' << each.name << ' ' << each.value;
        }
      }
      text << '\n';
    }
  }
  return text.str();
}

// These rows are published with figures: they never change. A change of the distribution makes
// another version (kDrawVersion), with other rows. A new strategy or all-reduce changes none.
TEST_CASE("the same seed draws the same, on every machine and in every year") {
  CHECK(checksum(all_text()) == "9237380a8d7d9e5a380dbad6c0cbd4d3");
}

}  // namespace
}  // namespace epochcast::tests
