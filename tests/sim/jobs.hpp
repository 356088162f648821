// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/job/job.hpp"
#include "results/result.hpp"
#include "strategies/strategy.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {

/// A network of four layers, 40 MB of gradients, on a data set of `train_samples`.
///
/// Devices "gpu-a" and "cpu-a" have traces with a fixed cost per batch, so time is not proportional
/// to the batch; `spread` is the relative deviation of samples from their median.
[[nodiscard]] Job job_on(const Platform& platform, std::int64_t train_samples, double spread = 0);

/// The job with traces whose workers and sessions differ: rank r of `ranks` takes 1 + 0.2 r times
/// as long, and session s of `sessions` 1 + 0.25 s times.
[[nodiscard]] Job with_workers(Job job, int ranks, int sessions);

/// Whether the strategy refuses the job's --overlap.
[[nodiscard]] bool refuses_overlap(const Job& job, const std::string& strategy);
/// Whether results depend on the order in which messages arrive, which rounding may decide:
/// forecasts of the same job may then differ by what its acceleration allows.
[[nodiscard]] bool depends_on_arrivals(const Strategy& strategy);

/// A forecast, as its JSON, made in a child process.
[[nodiscard]] nlohmann::json forecast_json(const Job& job, const std::string& strategy);

/// One job and the strategy that runs it.
struct Run {
  Job job;
  std::string strategy;
};
/// The same for many, in parallel, in their order.
[[nodiscard]] std::vector<RunResult> forecasts(const std::vector<Run>& runs);
[[nodiscard]] RunResult forecast_of(const Job& job, const std::string& strategy);

}  // namespace epochcast::tests
