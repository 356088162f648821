// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/formats/platform.hpp"
#include "core/job/figure_tables.hpp"

// Links that are set for one job: they become estimated, and what was measured of the messages that
// cross them moves with them.

namespace epochcast {

/// Bandwidth or latency.
using LinkMember = double LinkSpec::*;

/// Does `change`, after which messages between nodes are as their links are.
void change_links(Platform& platform,
                  const GivenFigure& given,
                  const std::function<void()>& change);

/// The network's own link. Messages move with it.
void change_network(Platform& platform, LinkMember member, const GivenFigure& given);
/// What all messages between nodes share, in place of one that was left out.
void change_backbone(Platform& platform, const GivenFigure& given);
// The following are called within change_links().
/// The links inside such nodes, and messages inside them.
void change_inside(NodeGroup& group, LinkMember member, const GivenFigure& given);
/// PCIe beside NVLink. Throws a UserError where that changes nothing.
void change_pcie(const Platform& platform,
                 NodeGroup& group,
                 LinkMember member,
                 const GivenFigure& given);
/// Nodes without a link of their own get one that is as the network's are, but for the figure.
void change_uplink(Platform& platform,
                   NodeGroup& group,
                   LinkMember member,
                   const GivenFigure& given);

}  // namespace epochcast
