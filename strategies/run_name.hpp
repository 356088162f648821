// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/result.hpp"

namespace epochcast {

/// The value of a run's setting as text; empty if it has none.
[[nodiscard]] std::string setting_of(const RunResult& run, const std::string& name);

/// The strategy with its period, K' or H, and whether communication overlaps: "local-sgd, H 32",
/// "sync, overlap". A period that was not set is an epoch: "node-based, K' 625 = an epoch"; one
/// that changes is a mean: "local-sgd, H 5 by qsr".
[[nodiscard]] std::string run_name(const RunResult& run);

/// The conditions of a run's figures, without period and overlap: "batch 128 per worker, float16
/// with tuned kernels". Without the precision if --batch-seconds gives the cost of batches.
[[nodiscard]] std::string held_for(const RunResult& run);
/// The same of several runs: "batch 9 to 13 per worker, float16 or float32" if they differ. Empty
/// without runs.
[[nodiscard]] std::string held_for(const std::vector<const RunResult*>& runs);

}  // namespace epochcast
