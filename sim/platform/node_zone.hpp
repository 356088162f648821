// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <string>
#include <vector>

#include "core/formats/platform.hpp"

namespace epochcast::sim {

/// A node in its network: a zone behind a gateway, or an empty place.
///
/// A network's netpoints are all hosts or all zones, empty places aside. SimGrid (NetZoneImpl.cpp,
/// find_common_ancestors) takes a zone for the ancestor of all hosts in its children, and looks
/// there for the route from one of its hosts to a host of a child zone as if both were its own;
/// since hosts are numbered within their zone, that is the route to some other node, or none.
struct Leaf {
  simgrid::kernel::routing::NetPoint* netpoint = nullptr;
  simgrid::kernel::routing::NetPoint* gateway = nullptr;  ///< of a zone: its only host or a router
};

/// Builds one node's hosts and links as a zone inside `parent` (null: the node is the whole
/// platform) and appends its hosts, one per device in the order of the platform file.
Leaf make_node(const NodeGroup& node,
               const std::string& name,
               simgrid::s4u::NetZone* parent,
               std::vector<simgrid::s4u::Host*>& hosts);

/// The same for a node of one device without interconnect, as a host of `parent`, if all nodes are
/// such. (SimGrid's time per zone grows with the number of zones.)
Leaf make_host(const NodeGroup& node,
               const std::string& name,
               simgrid::s4u::NetZone* parent,
               std::vector<simgrid::s4u::Host*>& hosts);

}  // namespace epochcast::sim
