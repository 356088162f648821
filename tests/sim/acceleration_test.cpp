// SPDX-License-Identifier: Apache-2.0
// Replayed collectives, skipped rounds and extrapolated loops must not change a forecast.
#include <cmath>
#include <nlohmann/json.hpp>

#include "results/result.hpp"
#include "sim/loops/known_mean.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

// The clock sums thousands of terms in another order; each addition rounds at 1e-16.
constexpr double kSameTime = 1e-9;

struct Place {
  const char* name;
  Platform platform;
};

std::vector<Place> places() {
  return {{"heterogeneous fat tree", mixed(4, 2, 1, pcie(), fat_tree())},
          {"NVLink nodes on a star", mixed(3, 2, 1, nvlink(), star())},
          {"torus", mixed(4, 1, 1, pcie(), torus())}};
}

void check_acceleration(const Platform& platform,
                        const std::vector<std::string>& strategies,
                        const std::vector<std::string>& algorithms) {
  std::vector<Run> runs;
  for (const std::string& strategy : strategies) {
    for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
      for (const std::string& algorithm : algorithms) {
        // 50 samples a worker and 3 more: 6 iterations, enough for loops to settle before they end.
        const auto workers = static_cast<std::int64_t>(
            place(platform, {}, {}, kAllTrain, [](const WorkerInfo&) { return 1.0; }).size());
        Job job = job_on(platform, 50 * workers + 3);
        job.config.overlap = overlap;
        if (refuses_overlap(job, strategy)) continue;
        job.config.all_reduce = algorithm;
        set(job.config, "local-steps", 1);
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
    check_alike(runs[i].strategy, results[i], results[i + 1]);
  }
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> all;
  for (const Strategy& strategy : strategies()) all.emplace_back(strategy.name);
  return all;
}

TEST_CASE("every strategy is forecast as by full simulation, with and without overlap") {
  check_acceleration(mixed(1, 3, 1, pcie_with_backbone(), nullptr), strategy_names(), {"ring"});
}

TEST_CASE("every strategy is forecast as by full simulation on every kind of network", "[long]") {
  for (const Place& place : places()) {
    CAPTURE(place.name);
    check_acceleration(place.platform, strategy_names(), {"ring"});
  }
}

TEST_CASE("pipelined collectives are forecast as by full simulation, with and without overlap") {
  check_acceleration(
      mixed(2, 2, 1, pcie(), star()), {"sync"}, {"double-binary-tree", "hierarchical"});
}

TEST_CASE("pipelined collectives of many ranks are forecast as by full simulation", "[long]") {
  check_acceleration(mixed(4, 2, 1, pcie(), fat_tree()),
                     {"sync", "node-based"},
                     {"double-binary-tree", "hierarchical", "segmented-ring", "openmpi"});
}

TEST_CASE("nodes of different speed without global exchanges are forecast as by full simulation") {
  Platform platform = mixed(2, 2, 0, pcie(), star());
  platform.nodes.push_back(mixed(2, 0, 2, pcie(), star()).nodes.front());
  Job job = job_on(platform, 8 * 8 * 45);
  set(job.config, "averaging-period", 10);
  Job exact = job;
  exact.config.exact = true;

  const std::vector<RunResult> results = forecasts({{job, "node-based"}, {exact, "node-based"}});

  check_equal(results[0], results[1]);
}

TEST_CASE("ranks of different speed on equal devices are forecast as by full simulation",
          "[exhaustive]") {
  std::vector<Run> runs;
  for (const Strategy& strategy : strategies()) {
    for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
      Job job = with_workers(job_on(mixed(4, 2, 1, pcie(), fat_tree()), 50 * 12 + 3, 0.1), 3, 2);
      job.config.deterministic = true;
      job.config.overlap = overlap;
      if (refuses_overlap(job, std::string(strategy.name))) continue;
      for (const bool exact : {false, true}) {
        job.config.exact = exact;
        runs.push_back({job, std::string(strategy.name)});
      }
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, runs[i].job.config.overlap);
    check_alike(runs[i].strategy, results[i], results[i + 1]);
  }
}

TEST_CASE("workers that make few batches in an epoch are forecast as by full simulation") {
  // A batch takes a CPU 120 times as long as a GPU, which makes some 400.
  Job job = job_on(mixed(3, 2, 1, pcie(), fat_tree()), 8 * 6 * 400);
  for (CostTrace& trace : job.traces) {
    if (trace.device != "cpu-a") continue;
    for (BatchSamples& samples : trace.batches) {
      for (double& seconds : samples.total_s) seconds *= 20;
    }
  }
  std::vector<Run> runs;
  for (const char* strategy : {"ad-psgd", "time-synced"}) {
    for (const bool exact : {false, true}) {
      job.config.exact = exact;
      runs.push_back({job, strategy});
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy);
    CHECK(results[i].epoch_s == Approx(results[i + 1].epoch_s).epsilon(sim::kMeanTolerance));
    CHECK(std::isfinite(results[i].phases.compute_s));
  }
}

TEST_CASE("fragments and outer steps are forecast as by full simulation, for 1 to 17 workers",
          "[exhaustive]") {
  std::vector<Run> runs;
  for (int nodes = 1; nodes <= 17; ++nodes) {
    for (const char* delay : {"0", "2"}) {
      Job job = job_on(mixed(nodes, 1, 0, pcie(), star()), 50 * 60 * nodes);
      set(job.config, "local-steps", 9);
      set(job.config, "fragments", 3);
      set(job.config, "fragment-delay", delay);
      set(job.config, "merge-weight", nodes % 2 == 0 ? "0.5" : "0");
      for (const bool exact : {false, true}) {
        job.config.exact = exact;
        runs.push_back({job, "diloco"});
        if (nodes % 5 == 0) runs.push_back({job, "slowmo"});
      }
    }
  }
  std::ranges::stable_sort(runs, {}, &Run::strategy);

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, i);
    check_equal(results[i], results[i + 1]);
  }
}

TEST_CASE("epochs of different periods are forecast as by full simulation", "[exhaustive]") {
  std::vector<Run> runs;
  for (const char* strategy : {"local-sgd",
                               "node-based",
                               "unbalanced-local-sgd",
                               "biased-local-sgd",
                               "post-local-sgd",
                               "slowmo",
                               "diloco"}) {
    for (const char* rule : {"qsr", "stl-sgd", "adacomm"}) {
      Job job = job_on(mixed(2, 2, 1, pcie(), star()), 50 * 6 * 40);
      job.config.epochs = 12;
      job.config.learning.rate = {
          .kind = LearningRateKind::multi_step, .base = 0.1, .milestones = {7, 10}, .decay = 0.5};
      set(job.config, "local-steps", 3);
      set(job.config, "averaging-period", 3);
      set(job.config, "period-rule", rule);
      for (const bool exact : {false, true}) {
        job.config.exact = exact;
        runs.push_back({job, strategy});
      }
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, i);
    check_equal(results[i], results[i + 1]);
  }
}

TEST_CASE("dlb's epochs are extrapolated only once its batches are constant") {
  Job job = job_on(mixed(2, 1, 1, pcie(), star()), 3200);
  job.config.batch = 16;
  job.config.epochs = 30;
  Job exact = job;
  exact.config.exact = true;

  const std::vector<RunResult> results = forecasts({{job, "dlb"}, {exact, "dlb"}});

  check_equal(results[0], results[1]);
}

TEST_CASE("dlb's batches do not depend on how a clock's sums were rounded") {
  // From equal batches to (16, 4, 4) or so: the slower two tie for an odd sample.
  Job job = job_on(mixed(1, 1, 2, pcie(), nullptr), 24 * 40);
  job.config.epochs = 3;
  job.config.batch_seconds = {{"gpu", 2e-3}, {"cpu", 5e-3}};
  std::vector<Run> runs;
  for (std::int64_t batch = 3; batch <= 12; ++batch) {
    job.config.batch = batch;
    for (const bool exact : {false, true}) {
      job.config.exact = exact;
      runs.push_back({job, "dlb"});
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].job.config.batch);
    check_equal(results[i], results[i + 1]);
  }
}

TEST_CASE(
    "dlb's epochs are not extrapolated while its batches change, though they take the same time") {
  // The CPU, down to one sample, decides the time of an iteration from the second epoch on; two
  // GPUs that share the rest converge much later.
  Job job = with_workers(job_on(mixed(1, 2, 1, pcie(), nullptr), 3 * 64 * 6), 2, 1);
  job.config.batch = 64;
  job.config.epochs = 30;
  for (CostTrace& trace : job.traces) {
    for (BatchSamples& samples : trace.batches) {
      const auto batch = static_cast<double>(samples.batch);
      samples.total_s = {trace.device == "cpu-a"
                             ? 1.0
                             : (0.05 + 0.001 * batch) * static_cast<double>(samples.rank + 1)};
    }
  }
  Job exact = job;
  exact.config.exact = true;

  const std::vector<RunResult> results = forecasts({{job, "dlb"}, {exact, "dlb"}});

  check_equal(results[0], results[1]);
}

TEST_CASE("iterations that announce a change are run, though they take the same time") {
  // Every iteration but the last decides the next one's work; only the 21st shows that.
  const auto program = [](Fabric& fabric) {
    int decided = 0;
    fabric.repeat(fabric.world(), 200, [&](std::int64_t) {
      fabric.compute(decided > 20 ? 2e-3 : 1e-3, "batch");
      fabric.all_reduce(payload_of_bytes(1e6), 1, fabric.world());
      if (decided <= 20) {
        ++decided;
        fabric.announce_change();
      }
    });
  };
  const Platform platform = plain_star(3, {});

  const Observed observed = observe(platform, program);

  CHECK(observed.last_s() ==
        Approx(observe_exactly(platform, program).last_s()).epsilon(kSameTime));
  CHECK(observed.phases.front().compute_s == Approx(21 * 1e-3 + 179 * 2e-3).epsilon(kSameTime));
}

TEST_CASE("an epoch of 10,000 iterations takes as many messages as one of 100") {
  const auto iterate = [](std::int64_t iterations) {
    return [iterations](Fabric& fabric) {
      fabric.repeat(fabric.world(), iterations, [&](std::int64_t) {
        fabric.compute(fabric.self().device_class == "gpu" ? 1e-3 : 2e-3, "batch");
        fabric.all_reduce(payload_of_bytes(12e6), 1, fabric.world());
      });
    };
  };
  const Platform platform = mixed(4, 2, 1, pcie(), fat_tree());

  const Observed few = observe(platform, iterate(100));
  const Observed many = observe(platform, iterate(10'000));

  CHECK(few.messages == many.messages);
  CHECK(few.messages == 2 * 11 * 12);  // one ring of 12 ranks
  CHECK(many.last_s() == Approx(100 * few.last_s()).epsilon(kSameTime));
}

TEST_CASE("any number of successive collectives may be replayed, also outside of loops") {
  constexpr int kTimes = 20'000;
  const auto end_s = [](int times) {
    const auto reduce = [times](Fabric& fabric) {
      for (int i = 0; i < times; ++i) fabric.all_reduce(payload_of_bytes(1e6), 1, fabric.world());
    };
    return observe(plain_star(3, {}), reduce).last_s();
  };

  // The time of one, multiplied: sums of 20,000 terms round at 1e-12.
  CHECK(end_s(kTimes) == Approx(kTimes * end_s(1)).epsilon(1e-9));
}

TEST_CASE("collectives with servers are replayed for any placement of servers") {
  // Servers are ranked last, so the last rank is on the first node here.
  Platform platform = mixed(1, 0, 1, pcie(), star());
  platform.nodes.push_back(mixed(2, 2, 0, pcie(), star()).nodes.front());
  const auto push_and_pull = [](int times) {
    return [times](Fabric& fabric) {
      const Communicator& all = fabric.communicator(
          fabric.world().ranks, {.algorithm = "push-pull", .servers = 1, .partition_bytes = 1e6});
      for (int i = 0; i < times; ++i) fabric.all_reduce(payload_of_bytes(12e6), 1, all);
    };
  };

  const Observed once = observe(platform, push_and_pull(1), {}, "ring", kWithServers);
  const Observed often = observe(platform, push_and_pull(20), {}, "ring", kWithServers);

  CHECK(often.messages == once.messages);
  CHECK(often.last_s() == Approx(20 * once.last_s()).epsilon(kSameTime));
}

}  // namespace
}  // namespace epochcast::tests
