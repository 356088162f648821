// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace epochcast {

/// Time and cost of an option. Only options of the same kind are compared.
struct TimeAndCost {
  std::string kind;
  double time_s = 0;
  double cost = 0;
};

/// The indices of options that no other one of their kind dominates (as fast and as cheap, and
/// better in one of both). Ascending.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<TimeAndCost>& all);

}  // namespace epochcast
