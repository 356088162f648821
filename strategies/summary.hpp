// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/formats/result.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {

/// Adds what the workers of a job report to its result, as `share` of all its passes: times are
/// means over result.epochs, phases also over workers that train; bytes are sums over workers.
void add_reports(RunResult& result,
                 const std::vector<WorkerInfo>& workers,
                 const std::vector<WorkerReport>& reports,
                 double share);

/// Adds notes on how well batches are balanced, where a strategy partitions unevenly.
void add_partition_notes(RunResult& result,
                         const std::vector<WorkerInfo>& workers,
                         const std::vector<WorkerReport>& reports);

}  // namespace epochcast
