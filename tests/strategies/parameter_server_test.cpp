// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "tests/catch.hpp"
#include "tests/strategies/server_job.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

constexpr const char* kStrategies[] = {
    "ps-sync", "ps-async", "ssp", "backup-workers", "gssp", "fedbuff"};

/// Settings with which a strategy runs in any of these small jobs.
StrategyJob small(StrategyJob job, const std::string& strategy) {
  if (strategy == "ssp") set(job.config, "staleness-bound", "1");
  if (strategy == "backup-workers") set(job.config, "backup-workers", "0");
  if (strategy == "fedbuff") {
    set(job.config, "buffer-size", "1");
    set(job.config, "local-steps", "1");
  }
  return job;
}

/// Worker 0 pushes after 1, 2, ... s, worker 1 after 2.6 and 5.2 s. Updates between pull and push:
///   s           1  2  2.6  3  4  5  5.2  6
///   worker      0  0   1   0  0  0   1   0
///   staleness   0  0   2   1  0  0   3   1
StrategyJob on_paper() {
  StrategyJob job = served_job({1, 2.6}, 1, 8);
  job.config.epochs = 1;
  return job;
}

TEST_CASE("the staleness of ps-async is the number of updates since the worker's pull") {
  const StrategyRun run = run_strategy("ps-async", on_paper());

  CHECK_THAT(run.reports[2].updates_by_staleness, Equals(std::vector<std::int64_t>{4, 2, 1, 1}));
  CHECK(run.reports[0].samples_per_epoch == 6 * kServedBatch);
  CHECK(run.reports[1].samples_per_epoch == 2 * kServedBatch);
  CHECK_THAT(run.learners[2].rates, Equals(std::vector<double>(8, 1)));
}

TEST_CASE("--staleness-rate divides the learning rate by the staleness") {
  StrategyJob job = on_paper();
  set(job.config, "staleness-rate", "on");

  const StrategyRun run = run_strategy("ps-async", job);

  CHECK_THAT(run.learners[2].rates,
             Equals(std::vector<double>{1, 1, 1.0 / 2, 1, 1, 1, 1.0 / 3, 1}));
}

TEST_CASE("each whole batch of the data set is used once an epoch") {
  for (const char* strategy : {"ps-async", "ssp", "gssp", "fedbuff"}) {
    for (const int batches : {1, 2, 7, 12}) {
      CAPTURE(strategy, batches);
      const StrategyRun run =
          run_strategy(strategy, small(served_job({0.3, 0.1, 0.5}, 2, batches), strategy));

      std::map<std::int64_t, int> uses;
      std::int64_t samples = 0;
      for (int rank = 0; rank < 3; ++rank) {
        for (const Share& share : run.learners[static_cast<std::size_t>(rank)].shuffled) {
          CHECK(share.samples() == kServedBatch);
          ++uses[share.position(0)];
        }
        samples += run.reports[static_cast<std::size_t>(rank)].samples_per_epoch;
      }
      CHECK(uses.size() == static_cast<std::size_t>(batches));
      for (const auto& [position, count] : uses) {
        CHECK(position % kServedBatch == 0);
        CHECK(count == 2);  // epochs
      }
      CHECK(samples == batches * kServedBatch);
    }
  }
}

TEST_CASE("with one worker, parameter servers train like sync") {
  const StrategyRun sync = run_strategy("sync", served_job({0.1}, 0, 9));
  for (const char* strategy : kStrategies) {
    for (const int servers : {1, 2, 3}) {
      CAPTURE(strategy, servers);
      const StrategyRun run =
          run_strategy(strategy, small(served_job({0.1}, servers, 9), strategy));

      CHECK(run.learners[0].starts == sync.learners[0].starts);
      CHECK(run.learners[0].parameters == sync.learners[0].parameters);
    }
  }
}

TEST_CASE("ps-sync is sync") {
  for (const int batches : {4, 12, 15}) {
    const StrategyRun sync = run_strategy("sync", served_job({0.3, 0.1, 0.2, 0.4}, 0, batches));
    for (const int servers : {1, 2}) {
      CAPTURE(batches, servers);
      const StrategyRun run =
          run_strategy("ps-sync", served_job({0.3, 0.1, 0.2, 0.4}, servers, batches));

      for (std::size_t rank = 0; rank < 4; ++rank) {
        CHECK(run.learners[rank].shuffled == sync.learners[rank].shuffled);
        CHECK(run.learners[rank].starts == sync.learners[rank].starts);
        CHECK(run.learners[rank].parameters == sync.learners[rank].parameters);
        CHECK(run.reports[rank].samples_per_epoch == sync.reports[rank].samples_per_epoch);
      }
    }
  }
}

TEST_CASE("several servers compute the numbers of one") {
  for (const char* strategy : kStrategies) {
    StrategyJob job = small(served_job({0.3, 0.1, 0.7, 0.2}, 1, 23), strategy);
    if (strategy == std::string("backup-workers")) set(job.config, "backup-workers", "1");
    if (strategy == std::string("fedbuff")) set(job.config, "buffer-size", "3");
    const StrategyRun one = run_strategy(strategy, job);
    for (const int servers : {2, 3, 6}) {
      CAPTURE(strategy, servers);
      job.workers.resize(4 + static_cast<std::size_t>(servers), job.workers.back());
      const StrategyRun run = run_strategy(strategy, job);

      for (std::size_t rank = 0; rank < 4; ++rank) {
        CHECK(run.learners[rank].shuffled == one.learners[rank].shuffled);
        CHECK(run.learners[rank].starts == one.learners[rank].starts);
        CHECK(run.learners[rank].parameters == one.learners[rank].parameters);
      }
    }
  }
}

TEST_CASE("servers make steps at the share of the epoch's gradients that they have taken") {
  const StrategyRun run = run_strategy("ps-async", served_job({1, 2.6}, 1, 4));
  CHECK_THAT(run.learners[2].shares,
             Equals(std::vector<double>{0.25, 0.5, 0.75, 1, 0.25, 0.5, 0.75, 1}));

  const StrategyRun rounds = run_strategy("ps-sync", served_job({1, 2.6}, 1, 4));
  CHECK_THAT(rounds.learners[2].shares, Equals(std::vector<double>{0.5, 1, 0.5, 1}));
}

/// The difference to the first parameters of the job, which are 0, times a factor.
std::vector<std::vector<float>> scaled(std::vector<std::vector<float>> starts, float factor) {
  for (std::vector<float>& parameters : starts)
    for (float& value : parameters) value *= factor;
  return starts;
}

TEST_CASE("ssp with bound 0 is ps-sync at the learning rate times the workers") {
  // All numbers are exact: gradients are multiples of 1/8, and there are two workers.
  for (const int servers : {1, 2}) {
    const StrategyJob job = served_job({0.1, 0.7}, servers, 10);

    const StrategyRun ssp = run_strategy("ssp", with(job, "staleness-bound", "0"));
    const StrategyRun sync = run_strategy("ps-sync", job);

    for (std::size_t rank = 0; rank < 2; ++rank) {
      CHECK(ssp.learners[rank].shuffled.size() == 10);  // two epochs of five rounds
      CHECK(ssp.learners[rank].starts == scaled(sync.learners[rank].starts, 2));
    }
  }
}

TEST_CASE("ssp with a bound that no worker reaches is ps-async") {
  const StrategyJob job = served_job({0.1, 0.35}, 1, 20);

  const StrategyRun bounded = run_strategy("ssp", with(job, "staleness-bound", "20"));
  const StrategyRun free = run_strategy("ps-async", job);

  for (std::size_t rank = 0; rank < 2; ++rank)
    CHECK(bounded.learners[rank].starts == free.learners[rank].starts);
}

/// Worker 0 is ahead until worker 1 has made its first batch (10 s), then by the bound.
TEST_CASE("ssp lets a worker be ahead by as many iterations as the bound") {
  for (const std::int64_t bound : {0, 1, 2, 3}) {
    CAPTURE(bound);
    StrategyJob job = with(served_job({1, 10}, 1, 12), "staleness-bound", std::to_string(bound));
    job.config.epochs = 1;

    const StrategyRun run = run_strategy("ssp", job);

    // Worker 1 begins batch n when worker 0 has made n + bound + 1, at most.
    const std::int64_t slow = run.reports[1].samples_per_epoch / kServedBatch;
    const std::int64_t fast = run.reports[0].samples_per_epoch / kServedBatch;
    CHECK(fast + slow == 12);
    CHECK(fast - slow <= bound + 1);
    CHECK(fast - slow >= bound);
  }
}

TEST_CASE("parameter servers end with any number of workers, servers and batches") {
  for (const char* strategy : kStrategies) {
    for (int workers = 1; workers <= 17; ++workers) {
      for (const int servers : {1, 3}) {
        for (const int batches : {workers, 3 * workers + 1}) {
          CAPTURE(strategy, workers, servers, batches);
          std::vector<double> batch_s;
          for (int rank = 0; rank < workers; ++rank) batch_s.push_back(0.1 + 0.03 * (rank % 5));
          StrategyJob job = small(served_job(batch_s, servers, batches), strategy);
          job.cost = {.alpha_s = 1e-3, .beta_s_per_byte = 1e-4};
          if (workers > 2 && strategy == std::string("backup-workers"))
            set(job.config, "backup-workers", "2");

          const StrategyRun run = run_strategy(strategy, job);

          const std::int64_t updates = updates_in(run.reports[static_cast<std::size_t>(workers)]);
          CHECK(updates > 0);
          if (strategy == std::string("ps-async")) CHECK(updates == 2 * batches);  // epochs
          for (const LearnerLog& learner : run.learners)
            CHECK(learner.parameters == run.learners[0].parameters);
        }
      }
    }
  }
}

TEST_CASE("asynchronous workers may be more than the batches of an epoch") {
  for (const char* strategy : {"ps-async", "ssp", "gssp", "fedbuff"}) {
    CAPTURE(strategy);
    const StrategyRun run =
        run_strategy(strategy, small(served_job({0.1, 0.2, 0.3}, 2, 2), strategy));
    CHECK(run.reports[2].samples_per_epoch == 0);
    CHECK(updates_in(run.reports[3]) == 2 * 2);
  }
}

TEST_CASE("parameter servers refuse what they cannot do") {
  const DeviceNames devices(workers_on({0}));
  const Strategy& strategy = find_strategy("ps-async");
  JobConfig config;
  config.strategy = "ps-async";
  CHECK_NOTHROW(strategy.check(config, devices));
  config.overlap = Overlap::bucket;
  CHECK_THROWS_WITH(strategy.check(config, devices),
                    "--overlap: ps-async sends gradients when all of them are known");
  config.overlap = Overlap::none;
  config.learning.clip_norm = 1;
  CHECK_THROWS_WITH(strategy.check(config, devices),
                    "--clip-norm: ps-async has no rank that knows all gradients; use sync");
  config.learning.clip_norm.reset();
  config.precision = Precision::float16;
  CHECK_THROWS_WITH(strategy.check(config, devices),
                    "--precision float16: workers of ps-async make no steps, by which the scale "
                    "of the loss adapts; use bfloat16");
}

}  // namespace
}  // namespace epochcast::tests
