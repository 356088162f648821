// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/platform.hpp"

namespace epochcast::tests {

/// A link in one direction.
struct RouteLink {
  std::string name;  ///< unique where links are shared; empty: one of many equal cables
  double bytes_per_s = 0;
  double latency_s = 0;
};

/// The links that a message crosses between two devices, read off the platform's description
/// (docs/formats.md) without the simulator.
[[nodiscard]] std::vector<RouteLink> described_route(const Platform& platform,
                                                     const WorkerInfo& from,
                                                     const WorkerInfo& to);

/// What messages from and to other nodes cost, as far as this node knows.
[[nodiscard]] const std::optional<MessageCosts>& messages_of(const Platform& platform, int node);

/// What a message costs on the way between two devices where it is alone.
struct RouteCost {
  double latency_s = 0;
  double bytes_per_s = 0;
};
[[nodiscard]] RouteCost described_cost(const Platform& platform,
                                       const WorkerInfo& from,
                                       const WorkerInfo& to,
                                       double bytes);

}  // namespace epochcast::tests
