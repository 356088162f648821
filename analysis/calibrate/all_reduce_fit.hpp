// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/calibrate/network_fit.hpp"
#include "core/formats/message_trace.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// What messages cost so that the trace's all-reduces, each taken for a ring, take what was
/// measured: one of `bytes` among P ranks is 2 (P - 1) steps of bytes / P, and each step has its
/// share of adding. For jobs that have measured nothing else: three sizes or more of which the
/// largest is eight times the smallest show a latency, others a bandwidth only.
///
/// Of ranks on several nodes, those among all tell of messages between nodes, those of a node's
/// ranks ("node") of messages inside; without the latter, messages inside are taken to cost what
/// those between nodes do, and a note says so. Throws a UserError where there are no all-reduces of
/// all ranks, or times that say nothing of a link.
[[nodiscard]] NetworkFit fit_all_reduces(const MessageTrace& trace);

/// A cluster of `nodes` nodes like the first one of the trace, joined by a star of what
/// fit_all_reduces() says: one device of this class and model for each rank.
[[nodiscard]] Platform platform_of_all_reduces(const MessageTrace& trace,
                                               const std::string& device_class,
                                               const std::string& model,
                                               int nodes);

}  // namespace epochcast
