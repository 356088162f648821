// SPDX-License-Identifier: Apache-2.0
#include "core/formats/ranked_run.hpp"

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

TEST_CASE("a run whose workers meet at most once an epoch is not ranked") {
  CHECK(is_ranked(run_of(4, 100, 100)));
  CHECK(is_ranked(run_of(4, 100, 2)));
  CHECK_FALSE(is_ranked(run_of(4, 100, 1)));
  CHECK_FALSE(is_ranked(run_of(4, 100, 0)));
}

TEST_CASE("one worker, or one iteration an epoch, meets as often as in sync") {
  CHECK(is_ranked(run_of(1, 100, 0)));
  CHECK(is_ranked(run_of(4, 1, 1)));
}

TEST_CASE("JSON says of a run that it is not ranked") {
  CHECK_FALSE(to_json(run_of(4, 100, 2)).contains("is_ranked"));
  CHECK(to_json(run_of(4, 100, 1))["is_ranked"] == false);
}

}  // namespace
}  // namespace epochcast::tests
