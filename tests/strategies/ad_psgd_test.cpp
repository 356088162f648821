// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>

#include "tests/catch.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

/// Workers whose batches take so many seconds; so many batches an epoch.
StrategyJob neighbours_job(const std::vector<double>& batch_s, std::int64_t batches) {
  StrategyJob job = {.workers = workers_on(std::vector<int>(batch_s.size(), 0)),
                     .config = small_config(4, 2),
                     .train_samples = batches * 4,
                     .work = {},
                     .cost = {}};
  job.work.batch_s = [batch_s](int rank, std::int64_t) {
    return batch_s.at(static_cast<std::size_t>(rank));
  };
  return job;
}

TEST_CASE("ad-psgd uses each sample once an epoch") {
  const StrategyRun run = run_strategy("ad-psgd", neighbours_job({0.3, 0.1, 0.5, 0.2, 0.7}, 21));

  std::map<std::int64_t, int> uses;
  std::int64_t samples = 0;
  for (std::size_t rank = 0; rank < 5; ++rank) {
    for (const Share& share : run.learners[rank].shuffled) ++uses[share.position(0)];
    samples += run.reports[rank].samples_per_epoch;
  }
  CHECK(uses.size() == 21);
  for (const auto& [position, count] : uses) CHECK(count == 2);  // epochs
  CHECK(samples == 21 * 4);
}

TEST_CASE("with one worker, ad-psgd trains like sync") {
  const StrategyRun sync = run_strategy("sync", neighbours_job({0.1}, 9));
  const StrategyRun run = run_strategy("ad-psgd", neighbours_job({0.1}, 9));

  CHECK(run.learners[0].starts == sync.learners[0].starts);
  CHECK(run.learners[0].parameters == sync.learners[0].parameters);
}

TEST_CASE("averaging with neighbours keeps the sum of ad-psgd's parameters") {
  for (std::size_t workers : {2, 3, 4, 7}) {
    CAPTURE(workers);
    StrategyJob job = neighbours_job(std::vector<double>(workers, 0.1), 30);
    job.work.batch_s = [](int rank, std::int64_t) { return 0.1 + 0.03 * rank; };
    job.work.gradient = [](int, std::int64_t) { return 1.0F; };
    job.config.epochs = 1;

    const StrategyRun run = run_strategy("ad-psgd", job);

    // Workers begin with rank 0's parameters, which are 0. Each of the 30 steps subtracts 1 from
    // parameter 0 of one worker.
    CHECK(run.learners[0].parameters[0] == Approx(-30.0 / static_cast<double>(workers)));
    for (const LearnerLog& learner : run.learners)
      CHECK(learner.parameters == run.learners[0].parameters);
  }
}

/// Batches of the active worker take 1 s, of the passive one 2.6 s; messages take no time.
TEST_CASE("ad-psgd does not wait for a slow worker") {
  StrategyJob job = neighbours_job({1, 2.6}, 7);
  job.config.epochs = 1;

  const StrategyRun run = run_strategy("ad-psgd", job);

  // Batches end at 1, 2, 3, 4, 5 and at 2.6, 5.2 s: seven in 5.2 s.
  CHECK(run.reports[0].samples_per_epoch == 5 * 4);
  CHECK(run.reports[1].samples_per_epoch == 2 * 4);
  CHECK(run.reports[0].training.compute_s == Approx(5));
  CHECK(run.reports[1].training.compute_s == Approx(5.2));
  CHECK(run.reports[1].training.total_s() == Approx(5.2));
  // Sent at 0 s, answered at 2.6, merged at 3 s: two steps later. Sent at 3 s, answered at 5.2 s.
  CHECK_THAT(run.reports[0].updates_by_staleness, Equals(std::vector<std::int64_t>{0, 0, 2}));
}

TEST_CASE("ad-psgd ends with 1 to 17 workers") {
  for (std::size_t workers = 1; workers <= 17; ++workers) {
    CAPTURE(workers);
    std::vector<double> batch_s(workers);
    for (std::size_t rank = 0; rank < workers; ++rank)
      batch_s[rank] = 0.1 + 0.07 * static_cast<double>(rank % 4);
    CHECK_NOTHROW(run_strategy("ad-psgd", neighbours_job(batch_s, 40)));
  }
}

}  // namespace
}  // namespace epochcast::tests
