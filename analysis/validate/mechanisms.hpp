// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/cost_trace.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// Something that forecasts know of a machine because it was measured (docs/fidelity.md, "What had
/// to be found out"), and how forecasts are made that do not: by data that do not have it. The
/// simulator is the same.
struct Mechanism {
  std::string_view name;
  std::string_view without;  ///< what forecasts then take for granted
  /// One of them takes it out; the other is null. Data that do not have it stay as they are.
  void (*of_platform)(Platform& platform) = nullptr;
  void (*of_costs)(std::vector<CostTrace>& traces) = nullptr;
};

/// All of them: of messages, then of batches.
[[nodiscard]] const std::vector<Mechanism>& mechanisms();

/// Those of these names, in this order. Throws a UserError that tells all unknown ones, and those
/// that are there twice.
[[nodiscard]] std::vector<Mechanism> find_mechanisms(const std::vector<std::string>& names);

}  // namespace epochcast
