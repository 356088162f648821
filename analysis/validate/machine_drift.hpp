// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "core/formats/message_trace.hpp"
#include "core/formats/result.hpp"

namespace epochcast {

/// What batches of this size took each rank as calibrated, in the order of `file_of_rank`: medians;
/// 0 where the size was not measured. A file has the samples of its own ranks, counted from 0.
[[nodiscard]] std::vector<double> calibrated_batches_s(
    const std::vector<std::filesystem::path>& file_of_rank, std::int64_t batch);

/// How much longer the batches that a run timed took than as calibrated: mean over ranks. Absent
/// where no rank has both. `parts`: passes through the network that a timed batch is made of.
[[nodiscard]] std::optional<double> batch_drift(const RunResult& run,
                                                const std::vector<double>& calibrated_s,
                                                std::int64_t parts);

/// How much longer the all-reduces that a run timed took than those that were measured among as
/// many ranks, of the same algorithm and size. Absent where there are none of either.
[[nodiscard]] std::optional<double> exchange_drift(const RunResult& run,
                                                   const MessageTrace& messages);

/// The median of each over runs, if any.
[[nodiscard]] std::optional<MachineDrift> median_drift(const std::vector<MachineDrift>& of_runs);

}  // namespace epochcast
