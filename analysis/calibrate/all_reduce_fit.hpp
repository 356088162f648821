// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/calibrate/network_fit.hpp"
#include "core/formats/message_trace.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// Message costs under which the trace's all-reduces, each taken as a ring, take the measured
/// times: one of `bytes` among P ranks is 2 (P - 1) steps of bytes / P, each with its share of the
/// reduction. For jobs without message measurements: three or more sizes, the largest at least
/// eight times the smallest, determine latency and bandwidth, others the bandwidth only.
///
/// With several nodes, all-reduces among all ranks give the messages between nodes, those among a
/// node's ranks ("node") the messages inside; without the latter, both have the same cost, with a
/// note. Throws a UserError without all-reduces among all ranks, or for times from which no
/// bandwidth follows.
[[nodiscard]] NetworkFit fit_all_reduces(const MessageTrace& trace);

/// A cluster of `nodes` nodes like the first one of the trace, joined by a star with the costs of
/// fit_all_reduces(): one device of this class and model for each rank.
[[nodiscard]] Platform platform_of_all_reduces(const MessageTrace& trace,
                                               const std::string& device_class,
                                               const std::string& model,
                                               int nodes);

}  // namespace epochcast
