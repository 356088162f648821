// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "real/measure/batches/network_costs.hpp"

namespace epochcast::real {

/// The measurements of a rank, as text for the rank that writes the trace.
[[nodiscard]] std::string rank_costs_text(std::span<const NetworkCosts> costs);

/// The measurements of several ranks, from their texts in the order of ranks: the batch sizes
/// ascending, each by rank; the layers' shares are those of the first rank.
[[nodiscard]] std::vector<NetworkCosts> joined_costs(const std::vector<std::string>& texts);

}  // namespace epochcast::real
