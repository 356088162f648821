// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "strategies/strategy.hpp"

namespace epochcast {

/// Node-based communication, for strategies that make a step after its averages, too. `base`: K',
/// the iterations between averages of all workers, at most those of an epoch; absent: an epoch.
void run_node_based(Worker& worker, std::optional<std::int64_t> base);

}  // namespace epochcast
