// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "core/formats/message_trace.hpp"
#include "core/job/job.hpp"
#include "results/result.hpp"

namespace epochcast {

/// How much longer parts of a run took than when they were calibrated, as shares: 0.02 is 2 %.
/// Absent: not timed, or nothing that was calibrated compares with it.
struct MachineDrift {
  std::optional<double> batches;
  std::optional<double> exchanges;

  bool operator==(const MachineDrift&) const = default;
};

/// The device model of each rank: the platform has the nodes of the messages, in their order.
[[nodiscard]] std::vector<std::string> models_of_ranks(const Platform& platform,
                                                       const std::vector<int>& node_of_rank);

/// Calibrated times of batches of this size, of each rank by its model: medians; 0 where
/// the size was not measured. A trace has the samples of its own ranks, counted from 0.
[[nodiscard]] std::vector<double> calibrated_batches_s(
    const std::vector<CostTrace>& traces,
    const std::vector<std::string>& model_of_rank,
    std::int64_t batch);

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
