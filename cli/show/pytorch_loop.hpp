// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/job_config.hpp"

namespace epochcast {

/// The training loop around the result of a recipe's prepare(), as comments: in the job's
/// precision, with its batch, accumulation and clipping.
[[nodiscard]] std::string pytorch_loop(const JobConfig& config);

}  // namespace epochcast
