// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/validate/validation_plan.hpp"

namespace epochcast {

// The commands of epochcast that a validation has run on its clusters: the words after the program.

/// The sizes of messages and all-reduces that are measured for exchanges of up to `most_bytes`,
/// ascending, in whole floats: these themselves, too, if they are large, as what does not fit
/// caches takes longer.
[[nodiscard]] std::vector<std::int64_t> message_sizes(double most_bytes);

/// What measures messages.
[[nodiscard]] std::vector<std::string> message_words(const ValidationCluster& cluster,
                                                     const std::set<std::string>& all_reduces,
                                                     const std::vector<std::int64_t>& sizes);

/// What measures the batches of a case that trains; `--device-name` is kMeasuredDevice.
[[nodiscard]] std::vector<std::string> batch_words(const ValidationCase& one);
inline constexpr const char* kMeasuredDevice = "this-cpu";

/// What runs a case for real, as `config` says, and times what the speed of the machine tells
/// around it: batches where it trains, and all-reduces of one of these `sizes`, the nearest to what
/// it exchanges at a time.
[[nodiscard]] std::vector<std::string> run_words(const ValidationCase& one,
                                                 const JobConfig& config,
                                                 double gradient_bytes,
                                                 const std::vector<std::int64_t>& sizes);

}  // namespace epochcast
