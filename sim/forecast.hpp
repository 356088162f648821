// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.hpp"
#include "core/timeline.hpp"
#include "results/result.hpp"
#include "sim/recording/recording.hpp"

namespace epochcast::sim {

/// Forecasts one strategy for a job. One call per process, which has one SimGrid engine.
///
/// One deterministic pass learns what collectives cost; unless the job is deterministic or its
/// costs have no spread, seeded passes with drawn costs follow, and the result is their mean and
/// 5-95 % interval; the uncertainty of message costs widens it. `timeline` (may be null) gets the
/// first pass, `workers` (may be null) the job's layout, `recording` (may be null) the actions of
/// every worker in the first pass, which then omits no iteration. Throws UserError for problems of
/// the placed job (memory, K' > K, ...).
[[nodiscard]] RunResult forecast(const Job& job,
                                 const std::string& strategy,
                                 Timeline* timeline = nullptr,
                                 std::vector<WorkerInfo>* workers = nullptr,
                                 Recording* recording = nullptr);

}  // namespace epochcast::sim
