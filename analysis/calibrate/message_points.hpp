// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/formats/message_trace.hpp"

namespace epochcast {

/// Messages from here on show what a link gives.
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

/// What the trace has of one kind of message in one scope, of just these nodes (none: of no certain
/// ones): ascending in bytes.
[[nodiscard]] std::vector<MessagePoint> points_of(const MessageTrace& trace,
                                                  const std::string& kind,
                                                  const std::string& scope,
                                                  const std::vector<int>& nodes = {});

/// The sets of nodes, each once, of which alone the trace has costs of this kind.
[[nodiscard]] std::set<std::vector<int>> nodes_of(const MessageTrace& trace,
                                                  const std::string& kind);

/// What a message takes on average, so that many take so many times as long: a median would leave
/// out the tail that an epoch's hundreds of messages meet. Samples above both the upper quartile +
/// 3 interquartile ranges (Tukey's "far out") and 1.5 medians are stalls of the machine, and left
/// out - unless they are more than one and more than a tenth: then they are what messages take.
[[nodiscard]] double expected_s(std::vector<double> samples_s);

/// Refuses times that no message takes, below 1 ns or above 10,000 s: throws a UserError with all
/// of them. Adding and a barrier may take no time.
void check_times(const MessageTrace& trace);

}  // namespace epochcast
