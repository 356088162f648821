// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/error.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

constexpr std::int64_t kDealtBatch = 4;

/// Workers whose batches take so many seconds; rounds of so many batches, three samples left over.
StrategyJob collecting(const std::vector<double>& batch_s,
                       std::int64_t batches,
                       std::int64_t rounds) {
  StrategyJob job = {.workers = workers_on(std::vector<int>(batch_s.size(), 0)),
                     .config = small_config(kDealtBatch, 2),
                     .train_samples = rounds * batches * kDealtBatch + 3,
                     .work = {},
                     .cost = {}};
  set(job.config, "target-batch", static_cast<int>(batches * kDealtBatch));
  job.work.batch_s = [batch_s](int rank, std::int64_t) {
    return batch_s.at(static_cast<std::size_t>(rank));
  };
  return job;
}

StrategyJob delayed(StrategyJob job) {
  set(job.config, "delayed-updates", "on");
  return job;
}

/// One worker with the target as its batch.
StrategyJob alone_with(std::int64_t batches, std::int64_t rounds) {
  StrategyJob job = collecting({1}, batches, rounds);
  job.config.of_strategies.clear();
  job.config.batch = batches * kDealtBatch;
  return job;
}

std::vector<double> weights(const StrategyRun& run, int rank) {
  std::vector<double> found;
  for (const FakeCall& call : run.all_reduces(rank, kGradientBytes)) found.push_back(call.weight);
  return found;
}

TEST_CASE("a worker of large-batch weighs as many batches as it took of the target") {
  // Batches are asked for at 0, 1, 2, 3, 4, 5 s by worker 0, and at 0 and 3 s by worker 1.
  const StrategyRun run = run_strategy("large-batch", collecting({1, 3}, 8, 3));

  CHECK_THAT(weights(run, 0), Equals(std::vector<double>(2 * 3, 6.0 / 8)));
  CHECK_THAT(weights(run, 1), Equals(std::vector<double>(2 * 3, 2.0 / 8)));
  CHECK(run.reports[0].samples_per_epoch == 3 * 6 * kDealtBatch);
  CHECK(run.reports[1].samples_per_epoch == 3 * 2 * kDealtBatch);
  CHECK(run.reports[0].rounds_per_epoch == 3);
  CHECK(run.reports[0].iterations_per_epoch == 3 * 8 / 2);
  CHECK(run.reports[0].training_s == Approx(2 * 3 * 6));
}

TEST_CASE("a round of large-batch is the batch of one worker, each sample used once an epoch") {
  const StrategyRun one = run_strategy("sync", alone_with(20, 3));
  for (int workers = 1; workers <= 17; ++workers) {
    for (const bool is_delayed : {false, true}) {
      CAPTURE(workers, is_delayed);
      std::vector<double> batch_s;
      for (int rank = 0; rank < workers; ++rank) batch_s.push_back(0.1 * (1 + rank % 5));
      StrategyJob job = collecting(batch_s, 20, 3);
      if (is_delayed) job = delayed(job);

      const StrategyRun run = run_strategy("large-batch", job);

      std::map<std::int64_t, int> uses;
      std::int64_t samples = 0;
      for (int rank = 0; rank < workers; ++rank) {
        const auto place = static_cast<std::size_t>(rank);
        for (const Share& share : run.learners[place].shuffled) {
          if (share.samples() > 0) ++uses[share.position(0)];
        }
        samples += run.reports[place].samples_per_epoch;
        // Gradients do not depend on parameters here. Means of worker's sums are rounded.
        CHECK(run.learners[place].applied.size() == 2 * 3);
        for (std::size_t i = 0; i < RecordingLearner::kGradients; ++i)
          CHECK(run.learners[place].parameters[i] ==
                Approx(one.learners[0].parameters[i]).epsilon(1e-5));
        CHECK(run.learners[place].parameters == run.learners[0].parameters);
      }
      CHECK(samples == 3 * 20 * kDealtBatch);
      CHECK(uses.size() == 3 * 20);
      for (const auto& [position, count] : uses) {
        CHECK(position % kDealtBatch == 0);
        CHECK(count == 2);  // epochs
      }
    }
  }
}

TEST_CASE("with one worker, large-batch is SGD that accumulates gradients") {
  const StrategyRun run = run_strategy("large-batch", collecting({1}, 4, 5));

  const StrategyRun sequential = run_strategy("sync", alone_with(4, 5));
  CHECK(run.learners[0].applied == sequential.learners[0].applied);
  CHECK(run.learners[0].parameters == sequential.learners[0].parameters);
}

TEST_CASE("without a target, a round of large-batch has a batch for each worker") {
  StrategyJob job = collecting({1, 1, 1}, 12, 2);
  job.config.of_strategies.erase("target-batch");

  const StrategyRun run = run_strategy("large-batch", job);

  CHECK(run.reports[0].rounds_per_epoch == 8);
  CHECK_THAT(weights(run, 2), Equals(std::vector<double>(2 * 8, 1.0 / 3)));
}

TEST_CASE("a worker that is late for a round adds nothing to it, and makes its step") {
  StrategyJob job = collecting({0.1, 0.1, 50}, 2, 1);
  job.config.epochs = 1;

  const StrategyRun run = run_strategy("large-batch", job);

  CHECK_THAT(weights(run, 2), Equals(std::vector<double>{0}));
  CHECK(run.learners[2].batches.empty());
  CHECK(run.learners[2].parameters == run.learners[0].parameters);
}

/// The first parameter before each batch.
std::vector<float> first_starts(const StrategyRun& run) {
  std::vector<float> found;
  for (const std::vector<float>& start : run.learners[0].starts) found.push_back(start.front());
  return found;
}

TEST_CASE("delayed updates train a round with parameters of the round before the last") {
  StrategyJob job = collecting({1}, 1, 3);
  job.work.gradient = [](int, std::int64_t position) {
    return position < 4 ? 1.0F : position < 8 ? 10.0F : 100.0F;  // by round
  };

  CHECK_THAT(first_starts(run_strategy("large-batch", job)),
             Equals(std::vector<float>{0, -1, -11, -111, -112, -122}));
  // Each epoch ends with a step that is not delayed.
  CHECK_THAT(first_starts(run_strategy("large-batch", delayed(job))),
             Equals(std::vector<float>{0, 0, -1, -111, -111, -112}));
}

TEST_CASE("delayed updates hide the exchanges of all rounds but the last") {
  StrategyJob job = collecting({1, 1}, 8, 5);
  job.cost = {.alpha_s = 0.5};
  const auto seconds_of = [](const StrategyJob& each) {
    return run_strategy("large-batch", each).reports[0].training_s;
  };

  // Four batches a round, half a second for an exchange, and to gather numbers after an epoch.
  CHECK(seconds_of(job) == Approx(2 * (5 * (4 + 0.5) + 0.5)));
  CHECK(seconds_of(delayed(job)) == Approx(2 * (5 * 4 + 0.5 + 0.5)));
}

TEST_CASE("large-batch refuses an overlap, and targets that are no whole batches or no data") {
  JobConfig config = small_config(8, 1);
  config.strategy = "large-batch";
  const auto check = [&] {
    find_strategy("large-batch").check(config, DeviceNames(workers_on({0})));
  };
  set(config, "target-batch", 12);
  CHECK_THROWS_WITH(check(),
                    "--target-batch: got 12; expected a multiple of the 8 samples of a batch");
  set(config, "target-batch", 16);
  CHECK_NOTHROW(check());
  config.overlap = Overlap::bucket;
  CHECK_THROWS_WITH(check(),
                    "--overlap: no worker of large-batch knows which batch is its last one; use "
                    "--delayed-updates");

  StrategyJob job = collecting({1, 1}, 4, 1);
  job.train_samples = 15;
  CHECK_THROWS_WITH(run_strategy("large-batch", job),
                    "--target-batch: one step takes 16 samples; the data set has 15");
}

}  // namespace
}  // namespace epochcast::tests
