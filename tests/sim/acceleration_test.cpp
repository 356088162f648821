// SPDX-License-Identifier: Apache-2.0
// Replayed collectives, skipped rounds and extrapolated loops must not change a forecast.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/result.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
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
                        const std::vector<std::string>& algorithms,
                        const std::vector<Overlap>& overlaps) {
  std::vector<Run> runs;
  for (const Strategy& strategy : strategies()) {
    for (const Overlap overlap : overlaps) {
      for (const std::string& algorithm : algorithms) {
        // 50 samples a worker and 3 over: 6 iterations, so that loops settle before they end.
        const auto workers = static_cast<std::int64_t>(
            all_devices(platform, {}).size());
        Job job = job_on(platform, 50 * workers + 3);
        job.config.overlap = overlap;
        job.config.all_reduce = algorithm;
        job.config.local_steps = 1;
        for (const bool exact : {false, true}) {
          job.config.exact = exact;
          runs.push_back({job, std::string(strategy.name)});
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
  for (const Place& place : places()) {
    CAPTURE(place.name);
    check_acceleration(place.platform, {"ring"}, {Overlap::none, Overlap::bucket});
  }
}

TEST_CASE("every strategy is forecast as by full simulation, with pipelined collectives") {
  check_acceleration(mixed(4, 2, 1, pcie(), fat_tree()),
                     {"double-binary-tree", "hierarchical", "segmented-ring", "openmpi"},
                     {Overlap::none});
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

TEST_CASE("summation servers on other nodes than the workers' leave collectives repeatable") {
  // Ranks are ordered workers first, servers last: the last rank is on the first node.
  Platform platform = mixed(1, 0, 1, pcie(), star());
  platform.nodes.push_back(mixed(2, 2, 0, pcie(), star()).nodes.front());
  Job job = job_on(platform, 8 * 4 * 50);
  job.config.partition_bytes = 400e3;  // 100 rounds of push and pull
  Job exact = job;
  exact.config.exact = true;

  const std::vector<RunResult> results = forecasts({{job, "byteps"}, {exact, "byteps"}});

  check_equal(results[0], results[1]);
}

}  // namespace
}  // namespace epochcast::tests
