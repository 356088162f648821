// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "strategies/strategy.hpp"

namespace epochcast {

/// HetGrad's uneven batches, with gradients weighted by them or not.
void run_hetgrad(Worker& worker, bool is_weighted);

/// --partition.
[[nodiscard]] std::span<const StrategySetting* const> hetgrad_settings();

}  // namespace epochcast
