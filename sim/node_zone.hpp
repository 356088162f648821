// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <string>
#include <vector>

#include "core/platform.hpp"

namespace epochcast::sim {

/// A node as its network sees it: a host, or a zone behind a gateway.
struct Leaf {
  simgrid::kernel::routing::NetPoint* netpoint = nullptr;
  simgrid::kernel::routing::NetPoint* gateway = nullptr;  ///< null when the node is a single host
};

/// Builds one node's hosts and links inside `parent` (null: the node is the whole platform) and
/// appends its hosts, one per device in the order of the platform file.
Leaf make_node(const NodeGroup& node,
               const std::string& name,
               simgrid::s4u::NetZone* parent,
               std::vector<simgrid::s4u::Host*>& hosts);

}  // namespace epochcast::sim
