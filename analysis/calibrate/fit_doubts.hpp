// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/message_points.hpp"
#include "core/costs/message_costs.hpp"

namespace epochcast {

/// How far what large messages take in some session is from the fit: root mean square of the
/// logarithms of their ratio, from the fit's own error and from what a session has in common. One
/// session says nothing of others; then the spread of its samples stands for it.
[[nodiscard]] double uncertainty_of(const std::vector<MessagePoint>& points,
                                    const MessageCosts& costs);

/// Refuses a fit that says nothing of a link: no messages of kLargeMessageBytes or more, times that
/// do not grow with the size, sizes that are off by a factor of e^kMostUncertainty on average.
/// `where` ("t.json: messages between nodes") begins the message of the UserError, which says what
/// to measure.
void check_fit(const std::string& where,
               const std::vector<MessagePoint>& points,
               const MessageCosts& costs);

/// What to know of the measurements behind a fit: sizes of one or two samples, stalls that would
/// matter, larger messages that are faster. `name`: "messages between nodes".
[[nodiscard]] std::vector<std::string> doubts_of(const std::string& name,
                                                 const std::vector<MessagePoint>& points);

/// Refuses (UserError) an uncertainty above kMostUncertainty; else adds a note to costs that are
/// known so badly that intervals say little.
void check_uncertainty(const std::string& file, const std::string& name, MessageCosts& costs);

}  // namespace epochcast
