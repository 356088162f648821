// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "results/result.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {

/// Adds the reports of a job's workers to its result, as `share` of all its passes: times are means
/// over result.epochs, phases also over workers that train; bytes are sums over workers.
void add_reports(RunResult& result,
                 const std::vector<WorkerInfo>& workers,
                 const std::vector<WorkerReport>& reports,
                 double share);

/// Adds a note on staleness to the result of a job with parameter servers, after its reports.
void add_asynchrony_note(RunResult& result);

/// Adds notes on the balance of batches, for strategies with uneven batches.
void add_partition_notes(RunResult& result,
                         const std::vector<WorkerInfo>& workers,
                         const std::vector<WorkerReport>& reports);

}  // namespace epochcast
