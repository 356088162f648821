// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/calibrate/message_points.hpp"
#include "analysis/calibrate/network_fit.hpp"
#include "core/costs/message_costs.hpp"

namespace epochcast {

/// What messages take between two that exchange them with each other alone, as a share of what the
/// fit's costs say, which are those of rings; and what they take one way, as a share of that. Where
/// links differ, messages of all nodes are compared with a pair that has one of the slowest, those
/// of faster nodes with a pair of their own. Messages below kLargeMessageBytes depend on who shares
/// cores with whom, not on who exchanges with whom. Links get room for what pairs get.
void fit_shares(const MessageTrace& trace, NetworkFit& fit);

/// Finds the least message from which on all-reduces of the library between two, of whom one comes
/// later, take longer than exchanges that do not take turns - `opposite` messages, or the fastest
/// all-reduces themselves - and how much, by size: one message more is a share of 1.
///
/// By chance, some exchanges take turns and others do not: of ten, none may. So a size at which
/// some do tells of all larger ones that they may. `in_a_row`: all-reduces of the library between
/// the same two, one right after the other.
void fit_turns(const std::vector<MessagePoint>& opposite,
               const std::vector<MessagePoint>& late,
               const std::vector<MessagePoint>& in_a_row,
               MessageCosts& costs);

}  // namespace epochcast
