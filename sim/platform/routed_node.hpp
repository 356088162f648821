// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <string>
#include <vector>

#include "sim/platform/node_zone.hpp"

namespace epochcast::sim {

/// The hosts of a node's devices.
struct NodeHosts {
  std::vector<simgrid::s4u::Host*> devices;
  /// From which a library sends that uses all NVLinks and ports at once; empty: the same hosts.
  std::vector<simgrid::s4u::Host*> channels;
};

/// Whether a node's routes depend on more than its own devices' links: it has ports, pairs of
/// NVLinks, levels of PCIe, or (with `has_channels`) any NVLinks.
[[nodiscard]] bool needs_routes(const NodeGroup& node, bool has_channels);

/// Builds such a node as make_node() does. `uplink_bytes_per_s`: of all ports. With `has_channels`,
/// also hosts for `NodeHosts::channels`: in the node, their routes have all NVLinks of the device
/// if these make a ring, else the device's own links; to the network, all ports.
Leaf make_routed_node(const NodeGroup& node,
                      const std::string& name,
                      simgrid::s4u::NetZone* parent,
                      double uplink_bytes_per_s,
                      bool has_channels,
                      NodeHosts& hosts);

}  // namespace epochcast::sim
