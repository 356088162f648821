// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "core/formats/message_trace.hpp"
#include "results/result.hpp"

namespace epochcast {

/// Calibrated medians of batches of this size by rank, in the order of `file_of_rank`; 0 if the
/// size was not measured. A file has the samples of its own ranks, counted from 0.
[[nodiscard]] std::vector<double> calibrated_batches_s(
    const std::vector<std::filesystem::path>& file_of_rank, std::int64_t batch);

/// Relative increase of a run's timed batches over the calibration: mean over ranks. Absent if no
/// rank has both. `parts`: passes through the network in a timed batch.
[[nodiscard]] std::optional<double> batch_drift(const RunResult& run,
                                                const std::vector<double>& calibrated_s,
                                                std::int64_t parts);

/// Relative increase of a run's timed all-reduces over measured ones of the same algorithm, size
/// and number of ranks. Absent if either is missing.
[[nodiscard]] std::optional<double> exchange_drift(const RunResult& run,
                                                   const MessageTrace& messages);

/// The median of each over runs, if any.
[[nodiscard]] std::optional<MachineDrift> median_drift(const std::vector<MachineDrift>& of_runs);

}  // namespace epochcast
