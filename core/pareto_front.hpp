// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace epochcast {

/// What something takes and costs. Only what is of one kind is compared.
struct TimeAndCost {
  std::string kind;
  double time_s = 0;
  double cost = 0;
};

/// The places of those that nothing of their kind beats: is as fast and as cheap, and better in one
/// of both. Ascending.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<TimeAndCost>& all);

}  // namespace epochcast
