// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/formats/platform.hpp"
#include "core/job/figure_tables.hpp"

// Links that a job sets: their grade becomes estimated, and the measured costs of messages on them
// are adapted.

namespace epochcast {

/// Bandwidth or latency.
using LinkMember = double LinkSpec::*;

/// Calls `change`, then adapts the costs of messages between nodes to the new links.
void change_links(Platform& platform,
                  const GivenFigure& given,
                  const std::function<void()>& change);

/// Sets a figure of the network's own link, and adapts messages.
void change_network(Platform& platform, LinkMember member, const GivenFigure& given);
/// Sets the bandwidth that all messages between nodes share.
void change_backbone(Platform& platform, const GivenFigure& given);
// The following are called within change_links().
/// Sets a figure of the links inside such nodes, and adapts messages inside them.
void change_inside(NodeGroup& group, LinkMember member, const GivenFigure& given);
/// Sets a figure of PCIe beside NVLink. Throws a UserError if that changes nothing.
void change_pcie(const Platform& platform,
                 NodeGroup& group,
                 LinkMember member,
                 const GivenFigure& given);
/// Sets a figure of the nodes' own uplinks; nodes without one get a copy of the network's link.
void change_uplink(Platform& platform,
                   NodeGroup& group,
                   LinkMember member,
                   const GivenFigure& given);

}  // namespace epochcast
