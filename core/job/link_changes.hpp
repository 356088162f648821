// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/platform.hpp"
#include "core/job/figure_tables.hpp"

// Links that are set for one job: they become estimated, and what was measured of the messages that
// cross them moves with them.

namespace epochcast {

/// Bandwidth or latency.
using LinkMember = double LinkSpec::*;

/// The network's own link, and not a backbone that was fitted to it.
void change_network(Platform& platform, LinkMember member, const GivenFigure& given);
/// The links inside such nodes.
void change_inside(Platform& platform,
                   NodeGroup& group,
                   LinkMember member,
                   const GivenFigure& given);
/// PCIe beside NVLink. Throws a UserError where that changes nothing.
void change_pcie(Platform& platform, NodeGroup& group, LinkMember member, const GivenFigure& given);
/// Nodes without a link of their own get one that is as the network's are, but for the figure.
void change_uplink(Platform& platform,
                   NodeGroup& group,
                   LinkMember member,
                   const GivenFigure& given);

}  // namespace epochcast
