// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/run_speed.hpp"

#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

/// How many times as long batches take on a rank now; 1 where that is not known.
double factor_of(const CostTrace& costs, std::int64_t batch, std::size_t rank, double seconds) {
  std::vector<double> measured_s;
  for (const BatchSamples& samples : costs.batches) {
    if (samples.batch == batch && samples.rank == static_cast<std::int64_t>(rank))
      measured_s.insert(measured_s.end(), samples.total_s.begin(), samples.total_s.end());
  }
  const double median_s = median_of(measured_s);
  return seconds > 0 && median_s > 0 ? seconds / median_s : 1;
}

void multiply(BatchSamples& samples, double factor) {
  for (std::vector<double>* seconds : {&samples.total_s,
                                       &samples.load_s,
                                       &samples.forward_s,
                                       &samples.backward_s,
                                       &samples.step_s,
                                       &samples.warmup_s}) {
    for (double& each : *seconds) each *= factor;
  }
}

}  // namespace

TraceFile at_speeds(TraceFile trace,
                    std::int64_t batch,
                    const std::vector<double>& seconds,
                    const std::vector<double>& cold_start_s) {
  for (CostTrace& costs : trace.costs) {
    for (BatchSamples& samples : costs.batches) {
      const auto rank = static_cast<std::size_t>(samples.rank);
      if (samples.batch == batch && rank < cold_start_s.size())
        samples.cold_start_s = cold_start_s[rank];
    }
    for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
      const double factor = factor_of(costs, batch, rank, seconds[rank]);
      for (BatchSamples& samples : costs.batches) {
        if (samples.rank == static_cast<std::int64_t>(rank)) multiply(samples, factor);
      }
    }
    costs = rounded(std::move(costs));
  }
  return trace;
}

}  // namespace epochcast
