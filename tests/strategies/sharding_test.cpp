// SPDX-License-Identifier: Apache-2.0
// Strategies that exchange in halves: zero, fsdp, and sync with --overlap dear.
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Workers on two nodes, batch 5, five iterations and a rest.
StrategyJob job_of(int workers, std::int64_t epochs) {
  std::vector<int> nodes;
  for (int rank = 0; rank < workers; ++rank) nodes.push_back(2 * rank / workers);
  return {.workers = workers_on(nodes),
          .config = small_config(5, epochs),
          .train_samples = 5 * 5 * workers + 3,
          .work = {},
          .cost = {}};
}

void check_same_learning(const StrategyRun& run, const StrategyRun& sync) {
  for (std::size_t rank = 0; rank < sync.learners.size(); ++rank) {
    CAPTURE(rank);
    CHECK(run.learners[rank].starts == sync.learners[rank].starts);
    CHECK(run.learners[rank].parameters == sync.learners[rank].parameters);
  }
}

TEST_CASE("zero equals sync bit by bit, in both stages, with and without overlap") {
  for (const int workers : {1, 2, 3, 4, 5}) {
    const StrategyRun sync = run_strategy("sync", job_of(workers, 2));
    for (const char* stage : {"1", "2"}) {
      for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
        CAPTURE(workers, stage, overlap == Overlap::bucket);
        StrategyJob job = job_of(workers, 2);
        job.config.overlap = overlap;
        set(job.config, "zero-stage", stage);
        check_same_learning(run_strategy("zero", job), sync);
      }
    }
  }
}

TEST_CASE("zero sums gradients once, and gathers parameters without statistics once, per step") {
  const StrategyRun run = run_strategy("zero", job_of(2, 3));

  const std::vector<FakeCall> sums = run.fabric.of(0, "reduce_scatter");
  REQUIRE(sums.size() == 3 * 5);
  CHECK(sums[0].bytes == kGradientBytes);
  CHECK(sums[0].weight == 0.5);
  const std::vector<FakeCall> gathers = run.fabric.of(0, "all_gather");
  REQUIRE(gathers.size() == 3 * 5);
  CHECK(gathers[0].bytes == kGradientBytes / 2);
  CHECK(run.fabric.of(0, "all_reduce").empty());
}

TEST_CASE("zero with overlap sums gradients in buckets, and gathers all parameters at once") {
  StrategyJob job = job_of(2, 3);
  job.config.overlap = Overlap::bucket;

  const StrategyRun run = run_strategy("zero", job);

  CHECK(run.fabric.of(0, "reduce_scatter").size() == 3 * 5 * RecordingLearner::kBuckets);
  const std::vector<FakeCall> gathers = run.fabric.of(0, "all_gather");
  REQUIRE(gathers.size() == 3 * 5);
  CHECK(gathers[0].bytes == kGradientBytes / 2);
}

TEST_CASE("zero refuses to clip gradients, of which no worker knows all") {
  StrategyJob job = job_of(2, 1);
  job.config.learning.clip_norm = 1;
  const Strategy& zero = find_strategy("zero");
  CHECK_THROWS_WITH(zero.check(job.config, DeviceNames(job.workers)),
                    "--clip-norm: zero has no worker that knows all gradients; use sync");
}

TEST_CASE("a worker of zero keeps a share of the optimizer's state, and of gradients in stage 2") {
  StrategyJob job = job_of(4, 1);
  const Strategy& zero = find_strategy("zero");
  CHECK(zero.state_shares(job.config, job.workers) == StateShares{.optimizer = 0.25});
  set(job.config, "zero-stage", "2");
  CHECK(zero.state_shares(job.config, job.workers) ==
        StateShares{.gradients = 0.25, .optimizer = 0.25});
}

TEST_CASE("dear equals sync bit by bit, and its last gradients count") {
  for (const int workers : {1, 2, 4}) {
    for (const char* strategy : {"sync", "hetgrad"}) {
      CAPTURE(workers, strategy);
      StrategyJob job = job_of(workers, 2);
      const StrategyRun plain = run_strategy(strategy, job);
      job.config.overlap = Overlap::dear;
      check_same_learning(run_strategy(strategy, job), plain);
    }
  }
}

TEST_CASE("dear hides all-gathers behind the next forward pass") {
  StrategyJob job = job_of(2, 4);
  job.work = proportional_work({1, 1});
  job.cost = {.alpha_s = 1, .beta_s_per_byte = 0};
  job.config.overlap = Overlap::dear;

  const StrategyRun run = run_strategy("sync", job);

  CHECK(run.fabric.of(0, "reduce_scatter").size() == 4 * 5 * RecordingLearner::kBuckets);
  CHECK(run.fabric.of(0, "all_gather").size() == 4 * 5 * RecordingLearner::kBuckets);
}

TEST_CASE("dear is refused if iterations do not end with a step on the gradients of all workers") {
  JobConfig config;
  config.overlap = Overlap::dear;
  CHECK_NOTHROW(check_overlap(config, find_strategy("sync-fastest")));
  CHECK_THROWS_WITH(check_overlap(config, find_strategy("local-sgd")),
                    "--overlap dear: local-sgd does not end each iteration with a step on the "
                    "gradients of the same workers; choose --strategy among sync, sync-fastest, "
                    "hetgrad, hetgrad-unweighted");
}

TEST_CASE("fsdp gathers layers for forward, and again for backward unless they stay") {
  for (const bool stays : {false, true}) {
    StrategyJob job = job_of(4, 2);
    set(job.config, "sharding", stays ? "shard-grad-op" : "full-shard");

    const StrategyRun run = run_strategy("fsdp", job);

    const std::size_t passes = std::size_t{2} * 5 * RecordingLearner::kBuckets;
    CHECK(run.fabric.of(1, "all_gather").size() == (stays ? 1 : 2) * passes);
    CHECK(run.fabric.of(1, "reduce_scatter").size() == passes);
    CHECK(run.fabric.of(1, "all_reduce").empty());
    CHECK(run.fabric.of(1, "reduce_scatter")[0].ranks == std::vector<int>{0, 1, 2, 3});
  }
}

TEST_CASE("fsdp's hybrid shards inside nodes and sums shards between them") {
  StrategyJob job = job_of(4, 1);
  set(job.config, "sharding", "hybrid-shard");

  const StrategyRun run = run_strategy("fsdp", job);

  CHECK(run.fabric.of(1, "reduce_scatter")[0].ranks == std::vector<int>{0, 1});
  CHECK(run.fabric.of(1, "reduce_scatter")[0].weight == 0.25);
  REQUIRE(run.fabric.of(1, "all_reduce").size() == 5 * RecordingLearner::kBuckets);
  CHECK(run.fabric.of(1, "all_reduce")[0].ranks == std::vector<int>{1, 3});
  CHECK(run.fabric.of(1, "all_reduce")[0].bytes == kGradientBytes / RecordingLearner::kBuckets / 2);
  const Strategy& fsdp = find_strategy("fsdp");
  CHECK(fsdp.state_shares(job.config, job.workers).parameters == 0.5);
}

TEST_CASE("shardings have PyTorch's names, too, and stage 3 of ZeRO is fsdp") {
  JobConfig config;
  set(config, "sharding", "HYBRID_SHARD");
  CHECK(config.of_strategies.at("sharding") == "hybrid-shard");
  CHECK_THROWS_WITH(set(config, "zero-stage", "3"),
                    "zero-stage: got \"3\"; expected 1 or 2; stage 3 is --strategy fsdp");
}

TEST_CASE("train and rehearse refuse fsdp in one sentence") {
  CHECK_THROWS_WITH(
      check_computes(find_strategy("fsdp")),
      "--strategy fsdp: simulate and emulate have it, train and rehearse do not, since layers of a "
      "LibTorch network cannot be taken apart; zero divides the optimizer's state");
  CHECK_NOTHROW(check_computes(find_strategy("zero")));
}

}  // namespace
}  // namespace epochcast::tests
