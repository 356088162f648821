// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/result.hpp"
#include "core/job/job.hpp"
#include "core/timeline.hpp"
#include "sim/recording/recording.hpp"

namespace epochcast::sim {

/// Forecasts one strategy for a job. Uses up this process's SimGrid engine: one call per process.
///
/// One deterministic pass learns what collectives cost; unless the job is deterministic or its
/// costs have no spread, seeded passes with drawn costs follow, and the result is their mean and
/// 5-95 % interval; how well measured message costs are known widens it. `timeline` (may be null)
/// gets the first pass, `workers` (may be null) the job's layout, `recording` (may be null) what
/// every worker does in the first pass, which then omits no iteration. Throws UserError for what
/// only shows when the job is laid out (memory, K' > K, ...).
[[nodiscard]] RunResult forecast(const Job& job,
                                 const std::string& strategy,
                                 Timeline* timeline = nullptr,
                                 std::vector<WorkerInfo>* workers = nullptr,
                                 Recording* recording = nullptr);

}  // namespace epochcast::sim
