// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/message_points.hpp"
#include "core/costs/message_costs.hpp"

namespace epochcast {

/// The deviation of a session's large messages from the fit: root mean square of the logarithms of
/// their ratio, from the error of the fit and from differences between sessions. A single session
/// has no such differences; the spread of its samples replaces them.
[[nodiscard]] double uncertainty_of(const std::vector<MessagePoint>& points,
                                    const MessageCosts& costs);

/// Refuses a fit from which no bandwidth follows: no messages of kLargeMessageBytes or more, times
/// that do not grow with the size, sizes that are off by a factor of e^kMostUncertainty on average.
/// `where` ("t.json: messages between nodes") begins the message of the UserError, which says what
/// to measure.
void check_fit(const std::string& where,
               const std::vector<MessagePoint>& points,
               const MessageCosts& costs);

/// Warnings about the measurements behind a fit: sizes of one or two samples, large stalls, larger
/// messages that are faster. `name`: "messages between nodes".
[[nodiscard]] std::vector<std::string> warnings_of(const std::string& name,
                                                   const std::vector<MessagePoint>& points);

/// Refuses (UserError) an uncertainty above kMostUncertainty; else adds a note to costs whose
/// uncertainty makes intervals too wide to be useful.
void check_uncertainty(const std::string& file, const std::string& name, MessageCosts& costs);

}  // namespace epochcast
