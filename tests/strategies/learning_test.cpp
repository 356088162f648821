// SPDX-License-Identifier: Apache-2.0
#include "strategies/learning.hpp"

#include "strategies/run_name.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

RunResult run_of(const std::string& strategy, std::int64_t steps, std::int64_t rounds) {
  RunResult run;
  run.strategy = strategy;
  run.workers = 4;
  run.iterations_per_epoch = 100;
  run.rounds_per_epoch = rounds;
  run.by_device = {{.device_class = "gpu",
                    .model = "a10",
                    .role = "trains",
                    .workers = 4,
                    .batch = 8,
                    .local_steps = steps,
                    .phases = {}}};
  return run;
}

TEST_CASE("the note of a run that is not ranked has its period, and results of rehearsals") {
  CHECK(why_not_ranked(run_of("sync", 1, 100)).empty());
  CHECK(why_not_ranked(run_of("local-sgd", 50, 2)).empty());
  CHECK(why_not_ranked(run_of("local-sgd", 60, 1)) ==
        "not ranked: averages all workers once an epoch");
  CHECK(why_not_ranked(run_of("node-based", 100, 1)) ==
        "not ranked: averages all workers once an epoch; rehearsed: 9.8 ± 4.4 points less accurate "
        "than sync, with small-cnn on computed images, 16 workers, 10 epochs "
        "(docs/rehearsals.md)");
  CHECK_THAT(why_not_ranked(run_of("one-shot", 300, 0)),
             Catch::StartsWith("not ranked: averages only after the last epoch; rehearsed: "));
}

TEST_CASE("a default period of an epoch is named as such") {
  CHECK(run_name(run_of("node-based", 100, 1)) == "node-based, K' 100 = an epoch");
  CHECK(run_name(run_of("node-based", 50, 2)) == "node-based, K' 50");

  RunResult set = run_of("local-sgd", 100, 1);
  set.config = {{"local-steps", "100"}};
  CHECK(run_name(set) == "local-sgd, H 100");
  set.config.push_back({"period-rule", "qsr"});
  CHECK(run_name(set) == "local-sgd, H 100 by qsr");
}

TEST_CASE("a name has overlap only if the strategy exchanges gradients") {
  RunResult sync = run_of("sync", 1, 100);
  RunResult local = run_of("local-sgd", 50, 2);
  sync.config = local.config = {{"overlap", "bucket"}};

  CHECK(run_name(sync) == "sync, overlap");
  CHECK(run_name(local) == "local-sgd, H 50");
}

TEST_CASE("figures of several runs hold for the range of their batches and each precision") {
  RunResult small = run_of("sync", 1, 100);
  small.batch = 9;
  small.config = {{"precision", "float16"}};
  RunResult large = small;
  large.batch = 13;
  CHECK(held_for(small) == "batch 9 per worker, float16");
  CHECK(held_for({&large, &small, &large}) == "batch 9 to 13 per worker, float16");

  large.config = {{"precision", "float32"}, {"kernels", "tuned"}};
  CHECK(held_for({&small, &large}) ==
        "batch 9 to 13 per worker, float16 or float32 with tuned kernels");
  CHECK(held_for(std::vector<const RunResult*>{}).empty());
}

}  // namespace
}  // namespace epochcast::tests
