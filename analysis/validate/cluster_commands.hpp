// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"

namespace epochcast {

// The commands of epochcast that a validation has run on its clusters: the words after the program.

/// The sizes of messages and all-reduces that are measured for exchanges of up to `most_bytes`,
/// ascending, in whole floats: these themselves, too, if they are large, as what does not fit
/// caches takes longer.
[[nodiscard]] std::vector<std::int64_t> message_sizes(double most_bytes);

/// The bytes of the gradients that a job exchanges, as 32-bit floats.
[[nodiscard]] double gradient_bytes(const JobConfig& config, const Catalog& catalog);

/// What measures messages: ring steps, point-to-point, and two kinds of all-reduce, whatever will
/// run. Rings send and receive at once, trees in one direction.
[[nodiscard]] std::vector<std::string> message_words(const ValidationCluster& cluster,
                                                     const std::vector<std::int64_t>& sizes);

/// What measures the batches of half, all and twice the size that is calibrated for a case that
/// trains; `--device-name` is kMeasuredDevice. The same for all cases that differ in strategy,
/// all-reduce, overlap or batch alone.
[[nodiscard]] std::vector<std::string> batch_words(const ValidationCase& one);
inline constexpr const char* kMeasuredDevice = "this-cpu";

/// What runs a configuration for real.
[[nodiscard]] std::vector<std::string> run_words(Command command, const JobConfig& config);

/// What has such a run time the machine around it: batches where it trains, and ring all-reduces of
/// the one of these `sizes` that is nearest to what it exchanges at a time.
[[nodiscard]] std::vector<std::string> timing_words(Command command,
                                                    const JobConfig& config,
                                                    double gradient_bytes,
                                                    const std::vector<std::int64_t>& sizes);

}  // namespace epochcast
