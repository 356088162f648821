// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/formats/message_trace.hpp"

namespace epochcast {

/// Messages from this size on show the bandwidth of a link.
constexpr double kLargeMessageBytes = 65536;

/// Expected seconds at one size.
struct MessagePoint {
  double bytes = 0;
  double seconds = 0;                  ///< mean over sessions
  double least_s = 0;                  ///< of all samples
  std::vector<double> session_s = {};  ///< of each session
  double relative_spread = 0;          ///< half the distance of the samples' quartiles / median
  double deviation = 0;                ///< standard deviation of ln(sample), without stalls
  double samples = 1;
  std::size_t stalls = 0;    ///< of these: left out
  double with_stalls_s = 0;  ///< mean of all samples
};

/// The trace's costs of one kind of message in one scope, for exactly these nodes (empty: costs
/// that name no nodes): ascending in bytes.
[[nodiscard]] std::vector<MessagePoint> points_of(const MessageTrace& trace,
                                                  const std::string& kind,
                                                  const std::string& scope,
                                                  const std::vector<int>& nodes = {});

/// The distinct sets of nodes for which the trace has costs of this kind.
[[nodiscard]] std::set<std::vector<int>> nodes_of(const MessageTrace& trace,
                                                  const std::string& kind);

/// The mean time of a message, to be multiplied by the number of messages: a median would leave out
/// the tail, which the hundreds of messages of an epoch include. Samples above both the upper
/// quartile + 3 interquartile ranges (Tukey's "far out") and 1.5 medians are stalls of the machine,
/// and left out - unless they are more than one and more than a tenth of all.
[[nodiscard]] double expected_s(std::vector<double> samples_s);

/// Refuses impossible times of messages, below 1 ns or above 10,000 s: throws a UserError that
/// lists all. A reduction may take no time.
void check_times(const MessageTrace& trace);

}  // namespace epochcast
