// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/fabric.hpp"
#include "core/formats/cost_trace.hpp"
#include "real/measure/sampling/group_exchange.hpp"
#include "real/measure/sampling/measure_group.hpp"

namespace epochcast::real {

/// The settings of an overlap measurement.
struct OverlapPoint {
  std::int64_t batch = 0;
  std::string all_reduce;
  double bytes = 0;
  double max_s = 30;  ///< in all, unless batches or all-reduces are long
};

/// Times of batches whose backward was overlapped with some all-reduces each, and the time of
/// either alone.
struct OverlapTimes {
  double batches = 0;
  double batches_s = 0;  ///< without waiting
  double exchanges = 0;
  double exchanges_s = 0;  ///< from the start of those of a batch to the end of the last one
  double both_s = 0;       ///< while batches and all-reduces overlapped
  double batch_alone_s = 0;
  double exchange_alone_s = 0;

  /// Adds a batch overlapped with this number of all-reduces, whose backward ended `backward_s`
  /// after their start.
  void add(double batch_s, double backward_s, double count, const ExchangeSpan& span);
};

/// The slowdowns of either while both run. Of the batches' work, n · alone, the rest
/// after subtracting the time alone, batches_s - both_s, was done in both_s; that of the
/// all-reduces likewise. So all delays of a batch by messages, through cores or caches,
/// count. At least 1; at most 100, if almost nothing was done. 1 if they never
/// overlapped.
[[nodiscard]] OverlapCost overlap_cost(const OverlapTimes& times);

/// Callbacks in the middle of a batch; their time does not count.
struct BatchHooks {
  std::function<void()> before_backward = {};
  std::function<void()> before_step = {};
};

/// Runs a batch, and returns its seconds without the hooks.
using RunBatch = std::function<double(const BatchHooks& hooks)>;

/// Measures the slowdowns of batches and all-reduces by each other: several times all-reduces
/// alone, and in turn batches alone and batches whose backward begins with all-reduces of the same
/// total time and whose step waits for them, as in training with overlap. Collective over the
/// group. `on_progress` is called after each time, with the share that is done.
[[nodiscard]] OverlapSamples measure_overlap(const OverlapPoint& point,
                                             const RunBatch& run_batch,
                                             GroupExchange& exchange,
                                             MeasureGroup& group,
                                             const std::function<void(double)>& on_progress);

}  // namespace epochcast::real
