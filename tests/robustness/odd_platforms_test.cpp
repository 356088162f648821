// SPDX-License-Identifier: Apache-2.0
// Platform files with extreme or odd values: forecast, or refused.
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/dice.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

/// A number with a unit that is usual, at the limit of plausibility, or beyond.
std::string odd_quantity(Dice& dice, const std::string& unit, double least, double most) {
  const double value = dice.chance(0.02)  ? dice.one_of({0.5 * least, 2 * most})
                       : dice.chance(0.4) ? dice.one_of({least, most})
                                          : dice.magnitude(least, most);
  const std::string odd = dice.one_of<std::string>({"0", "-1", "nan", "inf", "1e400", ""});
  if (dice.chance(0.01)) return odd + unit;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data() + (dice.chance(0.01) ? "" : unit);
}

std::string odd_latency(Dice& dice) { return odd_quantity(dice, "s", 1e-10, 1e3); }
std::string odd_bandwidth(Dice& dice) { return odd_quantity(dice, "Bps", 1, 1e15); }

Json odd_network(Dice& dice) {
  const auto count = [&dice] {
    return dice.chance(0.05) ? dice.between(-1, 3) : dice.between(1, 3);
  };
  const auto counts = [&](int size) {
    Json list = Json::array();
    for (int i = 0; i < size; ++i) list.push_back(count());
    return list;
  };
  Json network = {{"bandwidth", odd_bandwidth(dice)},
                  {"latency", odd_latency(dice)},
                  {"source", {{"grade", "estimated"}, {"method", "odd"}}}};
  const int topology = dice.between(0, 3);
  if (topology == 0) {
    network["topology"] = "star";
    if (dice.chance(0.5)) network["backbone"] = odd_bandwidth(dice);
  } else if (topology == 1) {
    const int levels = dice.between(1, 3);
    network["topology"] = "fat-tree";
    network["down"] = counts(levels);
    network["up"] = counts(levels);
    network["cables"] = counts(dice.chance(0.05) ? levels + 1 : levels);
  } else if (topology == 2) {
    network["topology"] = "torus";
    network["dimensions"] = counts(dice.between(1, 4));
  } else {
    network["topology"] = "dragonfly";
    for (const char* key : {"groups", "chassis", "routers", "nodes_per_router"})
      network[key] = count();
    network["cables"] = counts(3);
  }
  return network;
}

Json odd_platform(Dice& dice) {
  Json platform = Json::parse(pair_with("", ""));
  Json& node = platform["nodes"][0];
  node["count"] = dice.between(1, 3);
  Json& inside = node["interconnect"];
  inside["bandwidth"] = odd_bandwidth(dice);
  inside["latency"] = odd_latency(dice);
  if (dice.chance(0.3)) inside["backbone"] = odd_bandwidth(dice);
  for (Json& device : node["devices"]) device["reduce"] = odd_bandwidth(dice);
  platform["network"] = odd_network(dice);
  return platform;
}

TEST_CASE("a platform file with odd values is forecast in finite numbers, or refused") {
  const Campaign campaign(30);
  const Folder folder;
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Dice dice(seed);
    folder.write("odd.json", odd_platform(dice).dump());

    const Outcome run = folder.run(
        "simulate --platform odd.json --network resnet20 --dataset cifar10 --epochs 2 --batch 512 "
        "--batch-seconds gpu=100ms,cpu=1s --format json --strategy sync,node-based,byteps");

    CAPTURE(seed, run.status, run.err);
    REQUIRE((run.status == 0 || run.status == 2));
    if (run.status != 0) {
      CHECK(run.err.starts_with("epochcast: odd.json: "));
      continue;
    }
    const Json result = Json::parse(run.out);
    for (const Json& forecast : result["runs"]) {
      CHECK(std::isfinite(forecast["epoch_s"].get<double>()));
      CHECK(forecast["epoch_s"].get<double>() > 0);
    }
  }
}

}  // namespace
}  // namespace epochcast::tests
