// SPDX-License-Identifier: Apache-2.0
// Relations between forecasts, whatever their absolute values.
#include <algorithm>
#include <string>

#include "tests/catch.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

double exposed_share(const RunResult& run) {
  return run.phases.exposed_communication_s / run.epoch_s;
}

Platform with_link_bandwidth(double bytes_per_s) {
  Platform platform = mixed(4, 2, 1, pcie(), star());
  platform.network->link.bytes_per_s = bytes_per_s;
  return platform;
}

TEST_CASE("twice the bytes takes longer, and less than twice as long if latency counts") {
  for (const char* algorithm :
       {"ring", "double-binary-tree", "hierarchical", "rabenseifner", "linear", "openmpi"}) {
    CAPTURE(algorithm);
    const Platform platform = mixed(4, 2, 1, pcie(), fat_tree());

    const double once_s = all_reduce_s(platform, algorithm, 24e6);
    const double twice_s = all_reduce_s(platform, algorithm, 48e6);

    CHECK(twice_s > once_s);
    CHECK(twice_s < 2 * once_s);
  }
}

TEST_CASE("twice the bandwidth halves the time of a ring beyond its latencies") {
  const double latency_s = 1e-5;
  const double alphas_s = 2 * 7 * 2 * latency_s;

  const double slow_s = all_reduce_s(plain_star(8, {1e9, latency_s}), "ring", 80e6) - alphas_s;
  const double fast_s = all_reduce_s(plain_star(8, {2e9, latency_s}), "ring", 80e6) - alphas_s;

  CHECK(fast_s == Approx(slow_s / 2).epsilon(1e-9));  // 10 MB blocks: nothing is rounded
}

TEST_CASE("a slower link never shortens an epoch") {
  std::vector<Run> runs;
  const std::vector<std::string> strategies = {
      "sync", "hetgrad", "node-based", "local-sgd", "biased-local-sgd", "byteps", "dlb"};
  const std::vector<double> bandwidths = {12e9, 6e9, 3e9, 1e9, 1e8};
  for (const std::string& strategy : strategies) {
    for (const double bandwidth : bandwidths) {
      runs.push_back({job_on(with_link_bandwidth(bandwidth), 12 * 8 * 8), strategy});
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i % bandwidths.size() == 0) continue;
    CAPTURE(runs[i].strategy, runs[i].job.platform.network->link.bytes_per_s);
    CHECK(results[i].epoch_s >= results[i - 1].epoch_s * (1 - 1e-12));
  }
}

TEST_CASE("permuting equal workers changes nothing") {
  // Two kinds of nodes on a star: their order is a relabelling.
  Platform fast_first = mixed(2, 2, 0, pcie(), star());
  fast_first.nodes.push_back(mixed(2, 0, 2, pcie(), star()).nodes.front());
  Platform slow_first = fast_first;
  std::swap(slow_first.nodes[0], slow_first.nodes[1]);
  for (const char* strategy : {"sync", "hetgrad", "node-based", "local-sgd", "dlb"}) {
    CAPTURE(strategy);
    const Job job = job_on(fast_first, 8 * 8 * 8);
    const Job permuted = job_on(slow_first, 8 * 8 * 8);

    const auto results = forecasts({{job, strategy}, {permuted, strategy}});

    // A ring is the same ring from another start; sums are rounded in another order.
    CHECK(results[0].epoch_s == Approx(results[1].epoch_s).epsilon(1e-9));
    CHECK(results[0].phases.blocked_s == Approx(results[1].phases.blocked_s).epsilon(1e-9));
    CHECK(results[0].inter_node_bytes == Approx(results[1].inter_node_bytes).epsilon(1e-9));
  }
}

TEST_CASE("the order of nodes of one device and of several does not matter") {
  Platform lone_first = plain_star(3, {.bytes_per_s = 3e9, .latency_s = 5e-6}, 1e-11);
  lone_first.nodes.push_back(mixed(2, 4, 0, pcie(), star()).nodes.front());
  Platform lone_last = lone_first;
  std::swap(lone_last.nodes[0], lone_last.nodes[1]);
  for (const char* strategy : {"sync", "node-based", "local-sgd"}) {
    CAPTURE(strategy);

    const auto results = forecasts(
        {{job_on(lone_first, 11 * 8 * 4), strategy}, {job_on(lone_last, 11 * 8 * 4), strategy}});

    CHECK(results[0].epoch_s == Approx(results[1].epoch_s).epsilon(1e-9));
  }
}

TEST_CASE("the more local steps, the smaller the share of communication, down to nothing") {
  std::vector<Run> runs;
  for (const std::int64_t steps : {1, 4, 16, 64, 1024, 16384}) {
    Job job = job_on(mixed(4, 2, 0, pcie(), star()), 16384 * 8 * 8);
    set(job.config, "local-steps", steps);
    runs.push_back({job, "local-sgd"});
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 1; i < results.size(); ++i) {
    CAPTURE(runs[i].job.config.of_strategies);
    CHECK(exposed_share(results[i]) < exposed_share(results[i - 1]));
  }
  // 1 ring of 40 MB for 16,384 batches of 13 ms.
  CHECK(exposed_share(results.back()) < 1e-3);
  CHECK(exposed_share(results.front()) > 0.1);
}

TEST_CASE("node-based with K' = 1 and one worker per node takes as long as averaging every step") {
  Job job = job_on(plain_star(6, {}), 6 * 8 * 9);
  set(job.config, "averaging-period", 1);
  set(job.config, "local-steps", 1);

  const auto results = forecasts({{job, "node-based"}, {job, "local-sgd"}});

  CHECK(results[0].epoch_s == Approx(results[1].epoch_s).epsilon(1e-9));
  CHECK(results[0].inter_node_bytes == Approx(results[1].inter_node_bytes).epsilon(1e-9));
  CHECK(results[0].rounds_per_epoch == results[1].rounds_per_epoch);
}

TEST_CASE(
    "exchanging in buckets during backward is never slower on one stream and hides communication") {
  Job job = job_on(mixed(4, 2, 0, pcie(), star()), 8 * 8 * 8);
  Job overlapped = job;
  overlapped.config.overlap = Overlap::bucket;

  const auto results = forecasts({{job, "sync"}, {overlapped, "sync"}});

  CHECK(results[1].epoch_s < results[0].epoch_s);
  CHECK(results[1].phases.compute_s == Approx(results[0].phases.compute_s).epsilon(1e-9));
  CHECK(results[1].phases.exposed_communication_s < results[0].phases.exposed_communication_s);
}

}  // namespace
}  // namespace epochcast::tests
