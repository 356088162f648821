// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/job_config.hpp"

namespace epochcast {

/// PyTorch code that trains with the configuration's strategy, one of the registry, and its
/// settings: a function prepare(model, optimizer, loader), or the reason for none.
/// `ranks_per_node`: for nodes that are alike.
[[nodiscard]] std::string pytorch_text(const JobConfig& config, int ranks_per_node);

}  // namespace epochcast
