// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace epochcast::sim {

/// How much of a link's bandwidth a flow takes per byte/s of its own rate.
struct LinkUse {
  std::size_t link = 0;
  double weight = 1;
};

/// A flow over several links.
struct Flow {
  std::span<const LinkUse> uses;
  double most = std::numeric_limits<double>::infinity();  ///< its own limit, bytes/s
  double rate = 0;                                        ///< bytes/s: the result
};

/// Sets the max-min fair rates of flows over links of these capacities, in bytes/s: all rates rise
/// together, and a flow stays where a link of it is used up, or at its own limit (Bertsekas and
/// Gallager, Data Networks, section 6.5.2, with weights). A flow without links or limit has
/// an infinite rate.
void share_links(std::span<Flow* const> flows, std::span<const double> capacities);

}  // namespace epochcast::sim
