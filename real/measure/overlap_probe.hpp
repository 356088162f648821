// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/fabric.hpp"
#include "core/formats/cost_trace.hpp"
#include "real/measure/crew_exchange.hpp"
#include "real/measure/measure_crew.hpp"

namespace epochcast::real {

/// What overlap is measured with.
struct OverlapPoint {
  std::int64_t batch = 0;
  std::string all_reduce;
  double bytes = 0;
  double max_s = 30;  ///< in all, unless batches or all-reduces are long
};

/// What batches took that began with some all-reduces each, and what one of either takes alone.
struct OverlapTimes {
  double batches = 0;
  double batches_s = 0;  ///< from their start to their end
  double exchanges = 0;
  double exchanges_s = 0;    ///< from the start of those of a batch to the end of the last one
  double both_s = 0;         ///< while batches and all-reduces were under way
  double batch_after_s = 0;  ///< alone, where batches exchange before their step
  double exchange_alone_s = 0;

  /// One more batch, with so many all-reduces beside it.
  void add(double batch_s, double count, double exchange_s);
};

/// How many times as long either takes while both go on. Of the batches' work, n · alone, what was
/// not done when they were alone, batches_s - both_s, was done in both_s; that of the all-reduces
/// likewise. At least 1; at most 100, where next to nothing was done.
[[nodiscard]] OverlapCost overlap_cost(const OverlapTimes& times);

/// Runs a batch, calls `before_step` before its step, and returns the seconds that the rest took.
using RunBatch = std::function<double(const std::function<void()>& before_step)>;

/// Measures how much batches and all-reduces slow each other down: several times, batches alone,
/// batches that exchange before their step, all-reduces alone, and batches that begin with as many
/// all-reduces as take a good part of them. Collective over the crew. `tell` is called after each
/// time, with the share that is done.
[[nodiscard]] OverlapSamples measure_overlap(const OverlapPoint& point,
                                             const RunBatch& run_batch,
                                             CrewExchange& exchange,
                                             MeasureCrew& crew,
                                             const std::function<void(double)>& tell);

}  // namespace epochcast::real
