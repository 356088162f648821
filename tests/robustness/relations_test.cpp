// SPDX-License-Identifier: Apache-2.0
// Relations between forecasts of random jobs on random platforms, whatever their values.
//
// That groups of nodes change places is no such relation: ranks follow the platform, trees and
// roots follow ranks, and a ring crosses other links. Whatever their order, all_reduces_test.cpp
// compares all-reduces with a computation that has no zones.
#include <algorithm>
#include <functional>
#include <string>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/random_job.hpp"
#include "tests/robustness/simgrid_xml.hpp"

namespace epochcast::tests {
namespace {

constexpr std::uint64_t kAtOnce = 60;  // cases whose forecasts are made together

/// A job, and a variant that must be equal or faster; absent: does not apply.
using Variant = std::function<std::optional<Run>(const Run&, Dice&)>;
using Claim = std::function<void(const RunResult& base, const RunResult& variant)>;

/// Checks the claim for every seed's job.
void for_random_runs(std::uint64_t cases,
                     const PlatformRange& range,
                     const Variant& variant,
                     const Claim& claim) {
  const Campaign campaign(cases);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); seed += kAtOnce) {
    std::vector<Run> runs;
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t s = seed; s < std::min(seed + kAtOnce, campaign.end_seed()); ++s) {
      Dice dice(mix_seed(s, 1));
      Run base = random_run(s, range);
      std::optional<Run> other = variant(base, dice);
      if (!other) continue;
      seeds.push_back(s);
      runs.push_back(std::move(base));
      runs.push_back(std::move(*other));
    }
    const std::vector<RunResult> results = forecasts(runs);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const Run& run = runs[2 * i];
      CAPTURE(seeds[i], run.strategy, run.job.config.all_reduce, run.job.config.overlap);
      claim(results[2 * i], results[2 * i + 1]);
    }
  }
}

/// Equal up to rounding.
void are_equal(const RunResult& base, const RunResult& variant) {
  constexpr double kShare = 1e-9;
  const double slack_s = kShare * base.epoch_s;
  const auto near = [slack_s](double seconds) {
    return Approx(seconds).epsilon(0).margin(slack_s);
  };
  CHECK(variant.epoch_s == near(base.epoch_s));
  CHECK(variant.phases.compute_s == near(base.phases.compute_s));
  CHECK(variant.phases.exposed_communication_s == near(base.phases.exposed_communication_s));
  CHECK(variant.phases.blocked_s == near(base.phases.blocked_s));
  CHECK(variant.startup_s == Approx(base.startup_s).epsilon(kShare));
  CHECK(variant.intra_node_bytes == Approx(base.intra_node_bytes).epsilon(kShare));
  CHECK(variant.inter_node_bytes == Approx(base.inter_node_bytes).epsilon(kShare));
  CHECK(variant.rounds_per_epoch == base.rounds_per_epoch);
}

TEST_CASE("names of platforms and groups, and grouping of equal nodes, change nothing") {
  for_random_runs(
      120,
      {},
      [](const Run& base, Dice&) -> std::optional<Run> {
        Platform platform = base.job.platform;
        platform.name = platform.title = "another";
        std::vector<NodeGroup> groups;
        for (NodeGroup group : platform.nodes) {
          group.name = "another-" + std::to_string(groups.size());
          if (group.count > 1) {
            groups.push_back(group);
            groups.back().count = 1;
            group.count -= 1;
          }
          groups.push_back(group);
        }
        platform.nodes = groups;
        return on_platform(base, platform);
      },
      are_equal);
}

TEST_CASE("simulating every message and iteration changes nothing") {
  for_random_runs(
      180,
      {},
      [](Run run, Dice&) -> std::optional<Run> {
        run.job.config.exact = true;
        return run;
      },
      are_equal);
}

TEST_CASE("the same hosts, links and routes as a SimGrid XML platform change nothing") {
  const Folder folder;
  int files = 0;
  for_random_runs(
      60,
      {.has_messages = false, .topologies = {NetworkTopology::star}},
      [&](const Run& base, Dice&) -> std::optional<Run> {
        // NCCL's costs depend on kinds of links, which an XML file does not name.
        if (base.job.config.all_reduce == "nccl") return std::nullopt;
        Platform platform;
        platform.name = "xml";
        const std::string file = "twin-" + std::to_string(files++) + ".xml";
        folder.write(file, as_simgrid_xml(base.job.platform));
        platform.simgrid_xml = folder.path() / file;
        return on_platform(base, platform);
      },
      are_equal);
}

/// Twice the bandwidth of one link of the description.
std::optional<Run> with_doubled_link(const Run& base, Dice& dice) {
  Platform platform = base.job.platform;
  std::vector<double*> bandwidths;
  if (platform.network) {
    bandwidths.push_back(&platform.network->link.bytes_per_s);
    if (auto& backbone = platform.network->backbone_bytes_per_s) bandwidths.push_back(&*backbone);
  }
  for (NodeGroup& group : platform.nodes) {
    if (!group.interconnect) continue;
    bandwidths.push_back(&group.interconnect->link.bytes_per_s);
    if (auto& pcie = group.interconnect->pcie) bandwidths.push_back(&pcie->bytes_per_s);
    if (auto& backbone = group.interconnect->backbone_bytes_per_s) bandwidths.push_back(&*backbone);
  }
  if (bandwidths.empty()) return std::nullopt;
  *bandwidths[static_cast<std::size_t>(dice.between(0, static_cast<int>(bandwidths.size()) - 1))] *=
      2;
  return on_platform(base, platform);
}

bool is_tree(const Run& run) {
  const std::string& name = run.job.config.all_reduce;
  return name.find("tree") != std::string::npos || name == "openmpi" || name == "nccl";
}

// Messages that arrive earlier meet others on the next link, and links are shared fairly, not by
// urgency (Graham's anomaly): of 1,080 jobs, 3 became longer by 0.006 %, and 5 whose all-reduces
// are trees by 0.3 % at most.
TEST_CASE("twice the bandwidth does not make an epoch longer") {
  for (const bool has_trees : {false, true}) {
    const double most = has_trees ? 1.01 : 1.0005;
    for_random_runs(
        180,
        {},
        [&](const Run& base, Dice& dice) {
          return is_tree(base) == has_trees ? with_doubled_link(base, dice) : std::nullopt;
        },
        [&](const RunResult& base, const RunResult& variant) {
          CHECK(variant.epoch_s <= base.epoch_s * most);
        });
  }
}

}  // namespace
}  // namespace epochcast::tests
