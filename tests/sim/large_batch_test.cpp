// SPDX-License-Identifier: Apache-2.0
// Rounds whose batches are dealt to whoever asks next.
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/recording_learner.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kCollectedBatch = 4;
constexpr std::int64_t kEpochs = 2;

/// Batches of worker p take `batch_s[p % size]`; a round has so many.
Program collecting(const std::vector<double>& batch_s,
                   std::int64_t batches,
                   std::int64_t rounds,
                   bool is_delayed) {
  return [=](Fabric& fabric) {
    TestWork work;
    work.batch_s = [&](int rank, std::int64_t) {
      return batch_s[static_cast<std::size_t>(rank) % batch_s.size()];
    };
    LearnerLog log;
    RecordingLearner learner(fabric, work, log);
    JobConfig config;
    config.strategy = "large-batch";
    config.batch = kCollectedBatch;
    config.epochs = kEpochs;
    set(config, "target-batch", static_cast<int>(batches * kCollectedBatch));
    set(config, "delayed-updates", is_delayed ? "on" : "off");
    Worker worker = {.fabric = fabric,
                     .learner = learner,
                     .sampling = learner,
                     .config = config,
                     .train_samples = batches * rounds * kCollectedBatch};
    find_strategy("large-batch").run(worker);
  };
}

TEST_CASE("a simulated round of large-batch lasts until its last batch, then exchanges") {
  // Two links of 50 ms. Rank 1 pays 200 ms for each number: it has its fourth at 3.8 s, computes
  // until 4.8 s, and knows at 5 s that there are no more. An all-reduce of two takes 200 ms.
  const Platform platform = plain_star(2, {.bytes_per_s = 1e9, .latency_s = 0.05});
  constexpr std::int64_t kRounds = 50;
  const double at_once_s = observe(platform, collecting({1}, 8, kRounds, false)).last_s();
  const double delayed_s = observe(platform, collecting({1}, 8, kRounds, true)).last_s();

  // The rest of a second: a broadcast, and numbers gathered at the end of each epoch.
  CHECK(at_once_s == Approx(kEpochs * kRounds * 5.2).margin(1));
  // Nobody waits for a round's last batch: at best batches are taken at the joint rate.
  CHECK(delayed_s >= kEpochs * kRounds * 8 / (1 + 1 / 1.2));
  CHECK(delayed_s <= kEpochs * kRounds * 4.5);
}

TEST_CASE("simulated rounds of large-batch end with 1 to 17 workers") {
  for (int workers = 1; workers <= 17; ++workers) {
    for (const bool is_delayed : {false, true}) {
      CAPTURE(workers, is_delayed);
      const Observed seen = observe(mixed(1, workers, 0, pcie(), nullptr),
                                    collecting({0.1, 0.13, 0.07}, 20, 3, is_delayed));

      // At most as if rank 1 computed alone, at least as if all were as fast as rank 2.
      CHECK(seen.last_s() >= kEpochs * 3 * 20 * 0.07 / workers);
      CHECK(seen.last_s() <= kEpochs * 3 * (20 * 0.13 / workers + 2 * 0.13) + 1);
    }
  }
}

TEST_CASE("long rounds are forecast as if every batch were simulated") {
  std::vector<Run> runs;
  for (const char* delayed : {"off", "on"}) {
    // An exchange of 0.6 s beside 1.3 s of batches and more of their sums.
    Job job = job_on(plain_star(4, {.bytes_per_s = 1e8}), 4 * 100 * 8 * 5);
    set(job.config, "target-batch", 4 * 100 * 8);
    set(job.config, "delayed-updates", delayed);
    for (const bool exact : {false, true}) {
      job.config.exact = exact;
      runs.push_back({job, "large-batch"});
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    // Numbers are omitted when the mean time between them is known to 1 %.
    CHECK(results[i].epoch_s == Approx(results[i + 1].epoch_s).epsilon(0.01));
    // Those of omitted numbers are rounded for each worker.
    CHECK(static_cast<double>(results[i].samples_per_epoch) == Approx(4 * 100 * 8 * 5).margin(4));
  }
  CHECK(results[2].epoch_s < 0.9 * results[0].epoch_s);
}

}  // namespace
}  // namespace epochcast::tests
