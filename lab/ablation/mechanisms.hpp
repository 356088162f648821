// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/cost_trace.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// A measured property of a machine that forecasts use (docs/fidelity.md, "The model"), and how to
/// remove it from the data. The simulator does not change.
struct Mechanism {
  std::string_view name;
  std::string_view without;  ///< what forecasts then take for granted
  /// One of these functions removes it; the others are null. Data without it stay unchanged.
  void (*of_platform)(Platform& platform) = nullptr;
  void (*of_costs)(std::vector<CostTrace>& traces) = nullptr;
};

/// Removes them.
void leave_out(const std::vector<Mechanism>& mechanisms, Platform& platform);
void leave_out(const std::vector<Mechanism>& mechanisms, std::vector<CostTrace>& traces);

/// All mechanisms: of messages, then of batches.
[[nodiscard]] const std::vector<Mechanism>& mechanisms();

/// The mechanisms of these names, in this order. Throws a UserError that lists unknown names and
/// duplicates.
[[nodiscard]] std::vector<Mechanism> find_mechanisms(const std::vector<std::string>& names);

/// change(MessageCosts&) for all costs of messages between nodes.
template <typename Change>
void change_messages_between(Platform& platform, const Change& change) {
  if (platform.network && platform.network->messages) change(*platform.network->messages);
  for (NodeGroup& group : platform.nodes) {
    if (group.uplink && group.uplink->messages) change(*group.uplink->messages);
  }
}
/// The same inside nodes.
template <typename Change>
void change_messages_inside(Platform& platform, const Change& change) {
  for (NodeGroup& group : platform.nodes) {
    if (group.interconnect && group.interconnect->messages) change(*group.interconnect->messages);
  }
}
/// The same for both.
template <typename Change>
void change_messages(Platform& platform, const Change& change) {
  change_messages_between(platform, change);
  change_messages_inside(platform, change);
}

}  // namespace epochcast
