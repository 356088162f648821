// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/json/json_input.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// The devices of a node, by index: whether each is none of class "cpu".
[[nodiscard]] std::vector<bool> accelerators_of(const NodeGroup& group);

/// Removes devices that the node does not have from its ports and pairs of NVLinks.
void drop_missing_devices(NodeGroup& group);

/// A node's "interconnect", and back. `accelerators`: those of the node.
[[nodiscard]] nlohmann::ordered_json to_json(const Interconnect& inside);
[[nodiscard]] Interconnect read_interconnect(JsonInput input,
                                             const std::vector<bool>& accelerators);

/// A node's "ports", and back: a number of ports that share its devices evenly, or for each port
/// the devices near it.
[[nodiscard]] nlohmann::ordered_json ports_json(const Ports& ports);
[[nodiscard]] Ports read_ports(const JsonInput& input, const std::vector<bool>& accelerators);

}  // namespace epochcast
