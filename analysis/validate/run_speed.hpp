// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/formats/cost_trace.hpp"
#include "core/formats/platform.hpp"
#include "core/formats/result.hpp"

namespace epochcast {

/// What batches of the trace take on ranks that are faster or slower now: on each of them all sizes
/// are as many times as fast as its batches of `batch` are, which take what `ranks` tells. A rank
/// that timed none keeps what it has. Cores of shared machines change their speed by the second.
/// `moment`: before or after they trained.
[[nodiscard]] TraceFile at_speeds(TraceFile trace,
                                  std::int64_t batch,
                                  const std::vector<TimedRank>& ranks,
                                  double TimedRank::*moment);

/// The platform, at the speed that all-reduces among all workers that train had around a run: those
/// by the algorithm that it timed take, in all sizes, as many times as long as it took for the one
/// that it timed. As it is where the run timed none, or such an all-reduce was not measured. Others
/// stay as they are: of some the links are the limit, of some what moves messages.
[[nodiscard]] Platform at_exchange_speed(Platform platform, const RunResult& run);

}  // namespace epochcast
