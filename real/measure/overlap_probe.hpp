// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

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

/// What n batches and m all-reduces took that began together, and what one of each takes alone.
struct OverlapTimes {
  double batches = 0;
  double batches_s = 0;  ///< until the last batch was over
  double exchanges = 0;
  double exchanges_s = 0;  ///< until the last all-reduce was over
  double batch_alone_s = 0;
  double exchange_alone_s = 0;
};

/// How many times as long either takes while both go on. With both under way until t, and one of
/// them from then on, the batches' work is n · alone = t / batch_slowdown + (batches_s - t), and
/// that of the all-reduces likewise. At least 1; at most 100, where nothing was to be seen of it.
[[nodiscard]] OverlapCost overlap_cost(const OverlapTimes& times);

/// Measures how much batches and all-reduces slow each other down: several times, batches alone,
/// all-reduces alone, and both. Collective over the crew. `run_batch` returns the seconds that it
/// took; `tell` is called after each time, with the share that is done.
[[nodiscard]] OverlapSamples measure_overlap(const OverlapPoint& point,
                                             const std::function<double()>& run_batch,
                                             CrewExchange& exchange,
                                             MeasureCrew& crew,
                                             const std::function<void(double)>& tell);

}  // namespace epochcast::real
