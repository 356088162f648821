// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/formats/cost_trace.hpp"

namespace epochcast {

/// What batches of the trace take on ranks that are faster or slower now: on each of them all sizes
/// are as many times as fast as its batches of `batch` are, which take `seconds[rank]`. A rank
/// without such batches, or with 0 seconds, keeps what it has; so does what overlap costs, which
/// counts as shares. Cores of shared machines change their speed by the second. Where an epoch
/// begins with batches of that size, they take `cold_start_s[rank]` longer.
[[nodiscard]] TraceFile at_speeds(TraceFile trace,
                                  std::int64_t batch,
                                  const std::vector<double>& seconds,
                                  const std::vector<double>& cold_start_s = {});

}  // namespace epochcast
