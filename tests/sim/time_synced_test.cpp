// SPDX-License-Identifier: Apache-2.0
// time-synced: rounds of a given time, on batches that are dealt on demand.
#include <string>

#include "core/costs/kernel_cost.hpp"
#include "tests/catch.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

constexpr double kTimedBatch_s = 5e-3 + 8 * 1e-3;  // the trace of gpu-a
constexpr double kTimedBytes = 40e6 + 4 * 1000;    // parameters and BatchNorm statistics

/// Four nodes of one GPU on a switch, each of which makes so many batches an epoch.
Job timed_nodes(const TestLink& link, std::int64_t batches, const std::string& sync_seconds) {
  Job job = job_on(plain_star(4, link), 4 * 8 * batches);
  set(job.config, "sync-seconds", sync_seconds);
  return job;
}

/// Seconds from the end of a round's batches to the next one.
double averaging_s(const TestLink& link) {
  const double ring_s = 6 * 2 * link.latency_s + 1.5 * kTimedBytes / link.bytes_per_s;
  const double passes = 2 + 6;  // the norm, and the outer step
  return ring_s + passes * kTimedBytes / kGpuMovedBytesPerSecond;
}

TEST_CASE("a round of time-synced is the batches that begin in its time, and an average") {
  const TestLink link = {.bytes_per_s = 1e9, .latency_s = 1e-5};
  for (const int steps : {1, 4, 20}) {
    CAPTURE(steps);
    const double sync_s = (steps - 0.5) * kTimedBatch_s;

    const RunResult result =
        forecast_of(timed_nodes(link, 40, std::to_string(sync_s) + "s"), "time-synced");

    const int rounds = 40 / steps;
    const double epoch_s = 40 * kTimedBatch_s + rounds * averaging_s(link);
    CHECK(result.rounds_per_epoch == rounds);
    // Not in the formula: a message of 8 bytes to the owner and back for each batch, and 16 bytes
    // of each worker for each round.
    CHECK(result.epoch_s > epoch_s);
    CHECK(result.epoch_s < epoch_s + 40 * 8 * link.latency_s + rounds * 20 * link.latency_s);
  }
}

TEST_CASE("slow workers of time-synced make fewer steps, and others hardly wait") {
  const TestLink link = {.bytes_per_s = 1e10, .latency_s = 1e-6};
  Job job = with_workers(timed_nodes(link, 400, "1s"), 4, 1);  // 1, 1.2, 1.4 and 1.6 times
  job.config.deterministic = true;

  const RunResult timed = forecast_of(job, "time-synced");
  const RunResult local = forecast_of(job, "local-sgd");

  const double batches_per_s = (1 + 1 / 1.2 + 1 / 1.4 + 1 / 1.6) / kTimedBatch_s;
  const double computing_s = 1600 / batches_per_s;
  // Each worker waits for half of the slowest one's batch in each round, in the mean.
  CHECK(timed.epoch_s > computing_s);
  CHECK(timed.epoch_s < computing_s * (1 + 1.6 * kTimedBatch_s / 1) + 10 * averaging_s(link));
  CHECK(local.epoch_s > 400 * 1.6 * kTimedBatch_s);
  CHECK(timed.phases.blocked_s < 0.03 * timed.epoch_s);
}

TEST_CASE("omitted rounds of time-synced are forecast as by full simulation") {
  const TestLink link = {.bytes_per_s = 1e9, .latency_s = 1e-5};
  for (const std::string sync_seconds : {"20ms", "0.3s", "2s", "100s"}) {
    CAPTURE(sync_seconds);
    Job job = with_workers(timed_nodes(link, 1000, sync_seconds), 4, 1);
    job.config.deterministic = true;
    job.config.epochs = 2;
    const RunResult fast = forecast_of(job, "time-synced");
    job.config.exact = true;

    const RunResult exact = forecast_of(job, "time-synced");

    CHECK(fast.epoch_s == Approx(exact.epoch_s).epsilon(1e-9));
    CHECK(fast.rounds_per_epoch == exact.rounds_per_epoch);
    CHECK(fast.inter_node_bytes == Approx(exact.inter_node_bytes).epsilon(1e-9));
  }
}

TEST_CASE("with noise, time-synced takes as long as by full simulation, and as many rounds") {
  const TestLink link = {.bytes_per_s = 1e9, .latency_s = 1e-5};
  Job job = with_workers(job_on(plain_star(4, link), 4 * 8 * 1000, 0.2), 4, 1);
  set(job.config, "sync-seconds", "0.3s");
  job.config.epochs = 2;
  job.config.repetitions = 4;
  const RunResult fast = forecast_of(job, "time-synced");
  job.config.exact = true;

  const RunResult exact = forecast_of(job, "time-synced");

  // Some 40 rounds, of which each may begin a batch more or less.
  CHECK(fast.epoch_s == Approx(exact.epoch_s).epsilon(0.02));
  CHECK(static_cast<double>(fast.rounds_per_epoch) ==
        Approx(static_cast<double>(exact.rounds_per_epoch)).epsilon(0.06));
}

}  // namespace
}  // namespace epochcast::tests
