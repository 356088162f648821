// SPDX-License-Identifier: Apache-2.0
// Strategies whose workers exchange parameters with few peers: gossip and decentralized.
#include <algorithm>

#include "core/costs/kernel_cost.hpp"
#include "tests/catch.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

constexpr double kPeerBatch_s = 5e-3 + 8 * 1e-3;        // the trace of gpu-a
constexpr double kTrainedBytes = 40e6;                  // of job_on()
constexpr double kAllBytes = kTrainedBytes + 4 * 1000;  // and BatchNorm statistics
constexpr int kStarWorkers = 4;
constexpr std::int64_t kPeerIterations = 9;

/// One pass of a kernel that moves so many bytes.
double peer_kernel_s(double bytes) { return bytes / kGpuMovedBytesPerSecond; }

double peer_ring_s(int members, double bytes, const TestLink& link) {
  const double messages = 2.0 * (members - 1);
  return messages * 2 * link.latency_s + messages / members * bytes / link.bytes_per_s;
}

/// Four nodes of one GPU on a switch; a message passes two links.
RunResult peer_epochs(const std::string& strategy,
                      const std::string& topology,
                      const TestLink& link) {
  Job job = job_on(plain_star(kStarWorkers, link), kStarWorkers * 8 * kPeerIterations);
  if (!topology.empty()) set(job.config, "topology", topology);
  return forecast_of(job, strategy);
}

TEST_CASE("an epoch of gossip is K times batch, message and the mean of two") {
  const TestLink link = {.bytes_per_s = 1e9, .latency_s = 1e-5};

  const RunResult result = peer_epochs("gossip", "", link);

  const double message_s = 2 * link.latency_s + (kAllBytes + 8) / link.bytes_per_s;
  const double iteration_s = kPeerBatch_s + message_s + peer_kernel_s(3 * kAllBytes);
  const double last_s = peer_ring_s(kStarWorkers, kAllBytes, link);
  CHECK(result.iterations_per_epoch == kPeerIterations);
  CHECK(result.epoch_s == Approx(kPeerIterations * iteration_s + last_s).epsilon(1e-9));
  // Parameters, the push-sum weight of 8 bytes, and the average.
  const double sent = kStarWorkers * (kPeerIterations * (kAllBytes + 8) + 1.5 * kAllBytes);
  CHECK(result.inter_node_bytes == Approx(sent).epsilon(1e-9));
}

TEST_CASE("an iteration of decentralized is the longer of batch and exchange, and two copies") {
  for (const double bytes_per_s : {1e9, 1e10}) {
    for (const std::string topology : {"exponential", "ring", "exponential-ring", "complete"}) {
      CAPTURE(bytes_per_s, topology);
      const TestLink link = {.bytes_per_s = bytes_per_s, .latency_s = 1e-5};

      const RunResult result = peer_epochs("decentralized", topology, link);

      const int members = topology == "complete" ? kStarWorkers : 2;
      const double exchange_s = peer_ring_s(members, kTrainedBytes, link);
      const double copies_s = 2 * peer_kernel_s(2 * kTrainedBytes);
      const double last_s = peer_ring_s(kStarWorkers, kAllBytes, link);
      const double most_s = std::max(exchange_s, kPeerBatch_s);
      if (topology == "exponential-ring") {  // nodes of one worker: half of the pairs have a pause
        CHECK(result.epoch_s < kPeerIterations * (most_s + copies_s) + last_s);
        CHECK(result.epoch_s > kPeerIterations * (most_s + kPeerBatch_s) / 2);
        continue;
      }
      CHECK(result.epoch_s == Approx(kPeerIterations * (most_s + copies_s) + last_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("cycles of peers are forecast as by full simulation, for 1 to 17 workers",
          "[exhaustive]") {
  std::vector<Run> runs;
  for (int nodes = 1; nodes <= 17; ++nodes) {
    for (const char* strategy : {"gossip", "decentralized"}) {
      // Two workers a node: distances cross different links. 31 iterations are several cycles.
      Job job = job_on(mixed(nodes, 2, 0, pcie(), star()), 8 * 2 * nodes * 31);
      const std::vector<std::string> topologies = {"exponential", "ring", "exponential-ring"};
      set(job.config, "topology", topologies[static_cast<std::size_t>(nodes) % 3]);
      for (const bool exact : {false, true}) {
        job.config.strategy = "gossip";  // named: simulated with any number of workers
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

TEST_CASE("a slow worker slows gossip down as much as sync") {
  // Every worker hears from the slow one within a cycle, so all go at its pace in the end.
  const TestLink link = {.bytes_per_s = 1e10, .latency_s = 1e-5};
  Job job =
      with_workers(job_on(plain_star(kStarWorkers, link), kStarWorkers * 8 * 300), kStarWorkers, 1);
  job.config.deterministic = true;

  const double slowest_s = kPeerBatch_s * (1 + 0.2 * (kStarWorkers - 1));
  const RunResult result = forecast_of(job, "gossip");

  const double message_s = 2 * link.latency_s + (kAllBytes + 8) / link.bytes_per_s;
  const double iteration_s = slowest_s + message_s + peer_kernel_s(3 * kAllBytes);
  CHECK(result.epoch_s == Approx(300 * iteration_s).epsilon(0.01));
}

}  // namespace
}  // namespace epochcast::tests
