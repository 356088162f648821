// SPDX-License-Identifier: Apache-2.0
// Random jobs: skipped repetitions must not change a forecast.
#include "tests/robustness/random_jobs.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "results/result.hpp"
#include "sim/forecast.hpp"
#include "tests/catch.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/in_process.hpp"

namespace epochcast::tests {
namespace {

/// A forecast, or the reason for its refusal.
Task forecast_task(Run run) {
  return [run = std::move(run)] {
    try {
      return nlohmann::json(to_json(sim::forecast(run.job, run.strategy)));
    } catch (const UserError& error) {
      return nlohmann::json{{"refused", error.problems()}};
    }
  };
}

TEST_CASE("random jobs are forecast as by full simulation") {
  const Campaign campaign(60);
  std::vector<Task> tasks;
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Run run = small_run(seed);
    for (const bool exact : {false, true}) {
      run.job.config.exact = exact;
      tasks.push_back(forecast_task(run));
    }
  }

  const std::vector<nlohmann::json> results = in_processes(tasks);

  std::size_t compared = 0;
  for (std::size_t i = 0; i < results.size(); i += 2) {
    const std::uint64_t seed = campaign.first_seed() + i / 2;
    CAPTURE(seed, small_run(seed).strategy);
    REQUIRE(results[i].contains("refused") == results[i + 1].contains("refused"));
    if (results[i].contains("refused")) {
      CHECK(results[i] == results[i + 1]);
      continue;
    }
    ++compared;
    check_equal(run_from_json(nlohmann::ordered_json(results[i])),
                run_from_json(nlohmann::ordered_json(results[i + 1])));
  }
  CHECK(2 * compared >= tasks.size() / 2);  // else the generator makes too many impossible jobs
}

TEST_CASE("no interval begins below the time of the quickest samples") {
  const Campaign campaign(20);
  // Strategies whose workers do not depend on measurements.
  constexpr std::array kSteady = {"sync", "node-based", "local-sgd", "byteps"};
  std::vector<Task> tasks;
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Job quickest = small_run(seed).job;
    const Job noisy = with_heavy_tails(quickest, seed);
    quickest.dataset = noisy.dataset;
    for (const Job& job : {quickest, noisy})
      tasks.push_back(forecast_task({job, kSteady[seed % kSteady.size()]}));
  }

  const std::vector<nlohmann::json> results = in_processes(tasks);

  std::size_t compared = 0;
  for (std::size_t i = 0; i < results.size(); i += 2) {
    if (results[i].contains("refused")) continue;
    CAPTURE(campaign.first_seed() + i / 2);
    const RunResult quickest = run_from_json(nlohmann::ordered_json(results[i]));
    const RunResult noisy = run_from_json(nlohmann::ordered_json(results[i + 1]));
    REQUIRE(noisy.epoch_s_interval.has_value());
    CHECK(noisy.epoch_s_interval->low_s >= quickest.epoch_s * (1 - 1e-9));
    CHECK(noisy.epoch_s_interval->high_s > noisy.epoch_s_interval->low_s);
    CHECK(noisy.epoch_s > quickest.epoch_s);
    ++compared;
  }
  CHECK(2 * compared >= tasks.size() / 2);
}

}  // namespace
}  // namespace epochcast::tests
