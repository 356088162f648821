// SPDX-License-Identifier: Apache-2.0
// Replayed collectives, skipped rounds and extrapolated loops must not change a forecast.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/result.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

// The clock adds up thousands of times in another order; each addition rounds at 1e-16.
constexpr double kRounding = 1e-9;

struct Place {
  const char* name;
  Platform platform;
};

std::vector<Place> places() {
  return {{"heterogeneous fat tree", mixed(4, 2, 1, pcie(), fat_tree())},
          {"one node with a backbone", mixed(1, 3, 1, pcie_with_backbone(), nullptr)},
          {"NVLink nodes on a star", mixed(3, 2, 1, nvlink(), star())},
          {"torus", mixed(4, 1, 1, pcie(), torus())}};
}

/// Compares what a run took, to rounding; phases against the whole epoch, since they are
/// differences of clocks.
void check_equal(const PhaseTimes& a, const PhaseTimes& b, double epoch_s) {
  const double margin = kRounding * epoch_s;
  CHECK(a.compute_s == Approx(b.compute_s).epsilon(kRounding).margin(margin));
  CHECK(a.exposed_communication_s ==
        Approx(b.exposed_communication_s).epsilon(kRounding).margin(margin));
  CHECK(a.blocked_s == Approx(b.blocked_s).epsilon(kRounding).margin(margin));
}

void check_equal(const RunResult& a, const RunResult& b) {
  CHECK(a.epoch_s == Approx(b.epoch_s).epsilon(kRounding));
  CHECK(a.startup_s == Approx(b.startup_s).epsilon(kRounding));
  CHECK(a.intra_node_bytes == Approx(b.intra_node_bytes).epsilon(kRounding));
  CHECK(a.inter_node_bytes == Approx(b.inter_node_bytes).epsilon(kRounding));
  check_equal(a.phases, b.phases, b.epoch_s);
  REQUIRE(a.by_device.size() == b.by_device.size());
  for (std::size_t i = 0; i < a.by_device.size(); ++i) {
    CAPTURE(a.by_device[i].model);
    check_equal(a.by_device[i].phases, b.by_device[i].phases, b.epoch_s);
  }
}

void check_acceleration(const Platform& platform,
                        const std::vector<std::string>& strategies,
                        const std::vector<std::string>& algorithms) {
  std::vector<Run> runs;
  for (const std::string& strategy : strategies) {
    for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
      for (const std::string& algorithm : algorithms) {
        // 50 samples a worker and 3 over: 6 iterations, so that loops settle before they end.
        const auto workers = static_cast<std::int64_t>(
            place(platform, {}, kAllTrain, [](const WorkerInfo&) { return 1.0; }).size());
        Job job = job_on(platform, 50 * workers + 3);
        job.config.overlap = overlap;
        job.config.all_reduce = algorithm;
        job.config.local_steps = 1;
        for (const bool exact : {false, true}) {
          job.config.exact = exact;
          runs.push_back({job, strategy});
        }
      }
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, runs[i].job.config.overlap, runs[i].job.config.all_reduce);
    check_equal(results[i], results[i + 1]);
  }
}

TEST_CASE("every strategy is forecast as by full simulation, with and without overlap") {
  std::vector<std::string> all;
  for (const Strategy& strategy : strategies()) all.emplace_back(strategy.name);
  for (const Place& place : places()) {
    CAPTURE(place.name);
    check_acceleration(place.platform, all, {"ring"});
  }
}

TEST_CASE("pipelined collectives are forecast as by full simulation, with and without overlap") {
  check_acceleration(mixed(4, 2, 1, pcie(), fat_tree()),
                     {"sync", "node-based"},
                     {"double-binary-tree", "hierarchical", "segmented-ring", "openmpi"});
}

TEST_CASE("nodes of different speed that iterate on their own are forecast as by full simulation") {
  Platform platform = mixed(2, 2, 0, pcie(), star());
  platform.nodes.push_back(mixed(2, 0, 2, pcie(), star()).nodes.front());
  Job job = job_on(platform, 8 * 8 * 45);
  job.config.averaging_period = 10;
  Job exact = job;
  exact.config.exact = true;

  const std::vector<RunResult> results = forecasts({{job, "node-based"}, {exact, "node-based"}});

  check_equal(results[0], results[1]);
}

TEST_CASE("ranks of different speed on equal devices are forecast as by full simulation") {
  std::vector<Run> runs;
  for (const Strategy& strategy : strategies()) {
    for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
      Job job = with_workers(job_on(mixed(4, 2, 1, pcie(), fat_tree()), 50 * 12 + 3, 0.1), 3, 2);
      job.config.deterministic = true;
      job.config.overlap = overlap;
      for (const bool exact : {false, true}) {
        job.config.exact = exact;
        runs.push_back({job, std::string(strategy.name)});
      }
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, runs[i].job.config.overlap);
    check_equal(results[i], results[i + 1]);
  }
}

TEST_CASE("dlb settles on its batches before its epochs are extrapolated") {
  Job job = job_on(mixed(2, 1, 1, pcie(), star()), 3200);
  job.config.batch = 16;
  job.config.epochs = 30;
  Job exact = job;
  exact.config.exact = true;

  const std::vector<RunResult> results = forecasts({{job, "dlb"}, {exact, "dlb"}});

  check_equal(results[0], results[1]);
}

TEST_CASE("an epoch of 10,000 iterations takes as many messages as one of 100") {
  const auto iterate = [](std::int64_t iterations) {
    return [iterations](Fabric& fabric) {
      fabric.repeat(fabric.world(), iterations, [&](std::int64_t) {
        fabric.compute(fabric.self().device_class == "gpu" ? 1e-3 : 2e-3, "batch");
        fabric.all_reduce({.bytes = 12e6, .values = {}}, 1, fabric.world());
      });
    };
  };
  const Platform platform = mixed(4, 2, 1, pcie(), fat_tree());

  const Observed few = observe(platform, iterate(100));
  const Observed many = observe(platform, iterate(10'000));

  CHECK(few.messages == many.messages);
  CHECK(few.messages == 2 * 11 * 12);  // one ring of 12 ranks
  CHECK(many.last_s() == Approx(100 * few.last_s()).epsilon(kRounding));
}

TEST_CASE("collectives may be replayed one after another without end, outside of loops as well") {
  constexpr int kTimes = 20'000;
  const auto end_s = [](int times) {
    const auto reduce = [times](Fabric& fabric) {
      for (int i = 0; i < times; ++i)
        fabric.all_reduce({.bytes = 1e6, .values = {}}, 1, fabric.world());
    };
    return observe(plain_star(3, {}), reduce).last_s();
  };

  // As long as one, so many times: sums of 20,000 terms round at 1e-12.
  CHECK(end_s(kTimes) == Approx(kTimes * end_s(1)).epsilon(1e-9));
}

TEST_CASE("collectives with servers are replayed wherever the servers' nodes are") {
  // Servers are ranked last, so the last rank is on the first node here.
  Platform platform = mixed(1, 0, 1, pcie(), star());
  platform.nodes.push_back(mixed(2, 2, 0, pcie(), star()).nodes.front());
  const auto push_and_pull = [](int times) {
    return [times](Fabric& fabric) {
      const Communicator& all = fabric.communicator(
          fabric.world().ranks, {.algorithm = "push-pull", .servers = 1, .partition_bytes = 1e6});
      for (int i = 0; i < times; ++i) fabric.all_reduce({.bytes = 12e6, .values = {}}, 1, all);
    };
  };

  const Observed once = observe(platform, push_and_pull(1), {}, "ring", kWithServers);
  const Observed often = observe(platform, push_and_pull(20), {}, "ring", kWithServers);

  CHECK(often.messages == once.messages);
  CHECK(often.last_s() == Approx(20 * once.last_s()).epsilon(kRounding));
}

}  // namespace
}  // namespace epochcast::tests
