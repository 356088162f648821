// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/find.hpp"
#include "analysis/forecast/sweep.hpp"

namespace epochcast {

FindTools simulating(SharedJobs& jobs) {
  return {.forecast =
              [&jobs](const std::vector<ForecastTask>& tasks) {
                std::vector<ForecastOutcome> outcomes;
                forecast_each(
                    tasks,
                    jobs,
                    {},
                    [](std::size_t) {},
                    [&](const ForecastOutcome& outcome) { outcomes.push_back(outcome); });
                return outcomes;
              },
          .job =
              [&jobs](const JobConfig& config) {
                jobs.read(config);
                return jobs.job_of(config);
              }};
}

}  // namespace epochcast
