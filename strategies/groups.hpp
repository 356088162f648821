// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "strategies/strategy.hpp"

namespace epochcast {

/// Strategies that are alike in who waits for whom, for lists.
struct StrategyGroup {
  std::string_view title;
  std::span<const std::string_view> names;
};

/// Every strategy is in one of them.
[[nodiscard]] std::span<const StrategyGroup> strategy_groups();

/// The settings shared by strategies that this one can be combined with, for lists: "compression,
/// period rules"; "-" if there are none.
[[nodiscard]] std::string combinations_of(const Strategy& strategy);

}  // namespace epochcast
