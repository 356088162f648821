// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/fabric.hpp"
#include "core/formats/cost_trace.hpp"
#include "real/measure/group_exchange.hpp"
#include "real/measure/measure_group.hpp"

namespace epochcast::real {

/// What overlap is measured with.
struct OverlapPoint {
  std::int64_t batch = 0;
  std::string all_reduce;
  double bytes = 0;
  double max_s = 30;  ///< in all, unless batches or all-reduces are long
};

/// What batches took whose backward began with some all-reduces each, and what one of either takes
/// alone.
struct OverlapTimes {
  double batches = 0;
  double batches_s = 0;  ///< without what they waited for
  double exchanges = 0;
  double exchanges_s = 0;  ///< from the start of those of a batch to the end of the last one
  double both_s = 0;       ///< while batches and all-reduces were under way
  double batch_alone_s = 0;
  double exchange_alone_s = 0;

  /// One more batch with so many all-reduces beside it, whose backward ended `backward_s` after
  /// they were asked for.
  void add(double batch_s, double backward_s, double count, const ExchangeSpan& span);
};

/// How many times as long either takes while both go on. Of the batches' work, n · alone, what was
/// not done when they were alone, batches_s - both_s, was done in both_s; that of the all-reduces
/// likewise. So what a batch does later than it might have, because messages took its core or its
/// caches, counts too. At least 1; at most 100, where next to nothing was done. 1 where never both
/// were under way.
[[nodiscard]] OverlapCost overlap_cost(const OverlapTimes& times);

/// What is done in the middle of a batch; its time does not count.
struct BatchHooks {
  std::function<void()> before_backward = {};
  std::function<void()> before_step = {};
};

/// Runs a batch, and returns the seconds that it took without its hooks.
using RunBatch = std::function<double(const BatchHooks& hooks)>;

/// Measures how much batches and all-reduces slow each other down: several times all-reduces alone,
/// and in turn a batch whose backward begins with as many all-reduces as take as long and whose
/// step waits for them, as in training with overlap, and batches alone. Collective over the group.
/// `tell` is called after each time, with the share that is done.
[[nodiscard]] OverlapSamples measure_overlap(const OverlapPoint& point,
                                             const RunBatch& run_batch,
                                             GroupExchange& exchange,
                                             MeasureGroup& group,
                                             const std::function<void(double)>& tell);

}  // namespace epochcast::real
