// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/run_speed.hpp"

#include <algorithm>

#include "analysis/calibrate/message_points.hpp"
#include "analysis/validate/mechanisms.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/units.hpp"

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
                    const std::vector<TimedRank>& ranks,
                    double TimedRank::*moment) {
  for (CostTrace& costs : trace.costs) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const auto number = static_cast<std::int64_t>(rank);
      const double factor = factor_of(costs, batch, rank, ranks[rank].*moment);
      for (BatchSamples& samples : costs.batches) {
        if (samples.rank == number) multiply(samples, factor);
      }
    }
    costs = rounded(std::move(costs));
  }
  return trace;
}

Platform at_exchange_speed(Platform platform, const RunResult& run) {
  if (!run.timed_exchanges) return platform;
  const TimedExchanges& timed = *run.timed_exchanges;
  const double before_s = expected_s(timed.before_s);
  const double after_s = expected_s(timed.after_s);
  if (!(before_s > 0) || !(after_s > 0)) return platform;
  const int workers = run.trainers();
  change_messages(platform, [&](MessageCosts& costs) {
    const auto is_timed = [&](const MeasuredAllReduce& each) {
      return each.algorithm == timed.all_reduce && each.ranks == workers;
    };
    const auto same =
        std::find_if(costs.all_reduces.begin(), costs.all_reduces.end(), [&](const auto& each) {
          return is_timed(each) && each.bytes == timed.bytes;
        });
    if (same == costs.all_reduces.end()) return;
    const double factor = 0.5 * (before_s + after_s) / same->measured_s;
    for (MeasuredAllReduce& each : costs.all_reduces) {
      if (is_timed(each))
        each.measured_s = rounded_quantity(factor * each.measured_s, Dimension::seconds);
    }
  });
  return platform;
}

}  // namespace epochcast
