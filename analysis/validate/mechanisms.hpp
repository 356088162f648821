// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/cost_trace.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// Something that forecasts know of a machine because it was measured (docs/fidelity.md, "The
/// model"), and how forecasts are made that do not: by data that do not have it. The simulator is
/// the same.
struct Mechanism {
  std::string_view name;
  std::string_view without;  ///< what forecasts then take for granted
  /// One of them takes it out; the others are null. Data that do not have it stay as they are.
  void (*of_platform)(Platform& platform) = nullptr;
  void (*of_costs)(std::vector<CostTrace>& traces) = nullptr;
};

/// Takes them out.
void leave_out(const std::vector<Mechanism>& mechanisms, Platform& platform);
void leave_out(const std::vector<Mechanism>& mechanisms, std::vector<CostTrace>& traces);

/// All of them: of messages, then of batches.
[[nodiscard]] const std::vector<Mechanism>& mechanisms();

/// Those of these names, in this order. Throws a UserError that tells all unknown ones, and those
/// that are duplicates.
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
