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
  std::string name;  ///< unique if links are shared; empty: one of many equal cables
  double bytes_per_s = 0;
  double latency_s = 0;
};

/// The links of a message between two devices, derived from the platform's description
/// (docs/formats.md) without the simulator.
[[nodiscard]] std::vector<RouteLink> described_route(const Platform& platform,
                                                     const WorkerInfo& from,
                                                     const WorkerInfo& to);

/// The costs of messages to and from other nodes, for this node.
[[nodiscard]] const std::optional<MessageCosts>& messages_of(const Platform& platform, int node);

/// Whether messages inside this node were measured.
[[nodiscard]] bool are_measured_inside(const Platform& platform, int node);

/// The cost of a message between two devices without contention.
struct RouteCost {
  double latency_s = 0;
  double bytes_per_s = 0;
};
[[nodiscard]] RouteCost described_cost(const Platform& platform,
                                       const WorkerInfo& from,
                                       const WorkerInfo& to,
                                       double bytes);

}  // namespace epochcast::tests
