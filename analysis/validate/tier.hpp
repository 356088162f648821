// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace epochcast {

/// The calibrated cluster of a forecast, compared with its own.
enum class Tier {
  same_cluster,  ///< the cluster that is asked about
  extrapolated   ///< another one: fewer nodes, other links, another network or batch
};
inline constexpr std::array kTiers = {Tier::same_cluster, Tier::extrapolated};

/// "same cluster" or "extrapolated".
[[nodiscard]] constexpr std::string_view to_string(Tier tier) {
  return tier == Tier::same_cluster ? "same cluster" : "extrapolated";
}

}  // namespace epochcast
