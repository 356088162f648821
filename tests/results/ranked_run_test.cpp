// SPDX-License-Identifier: Apache-2.0
#include "results/ranked_run.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

RunResult run_of(int workers, std::int64_t iterations, std::int64_t rounds) {
  RunResult run;
  run.workers = workers;
  run.iterations_per_epoch = iterations;
  run.rounds_per_epoch = rounds;
  return run;
}

TEST_CASE("a run whose workers exchange at most once an epoch is not ranked") {
  CHECK(is_ranked(run_of(4, 100, 100)));
  CHECK(is_ranked(run_of(4, 100, 2)));
  CHECK_FALSE(is_ranked(run_of(4, 100, 1)));
  CHECK_FALSE(is_ranked(run_of(4, 100, 0)));
}

TEST_CASE("runs of one worker, or of one iteration an epoch, are ranked") {
  CHECK(is_ranked(run_of(1, 100, 0)));
  CHECK(is_ranked(run_of(4, 1, 1)));
}

TEST_CASE("the JSON of a run states that it is not ranked") {
  CHECK_FALSE(to_json(run_of(4, 100, 2)).contains("is_ranked"));
  CHECK(to_json(run_of(4, 100, 1))["is_ranked"] == false);
}

}  // namespace
}  // namespace epochcast::tests
