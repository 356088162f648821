// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "core/costs/message_costs.hpp"
#include "core/formats/message_trace.hpp"

namespace epochcast {

/// What the trace's all-reduces of a scope, among so many ranks, took: the mean of all sessions,
/// and how far these are apart; of one session, how far samples are, or messages by `uncertainty`.
/// To six digits. `checks` and what follows from them for `larger` ones are of the trace.
[[nodiscard]] std::vector<MeasuredAllReduce> measured_all_reduces(
    const MessageTrace& trace,
    const std::vector<AllReduceCheck>& checks,
    const std::vector<AllReduceCheck>& larger,
    const std::string& scope,
    int ranks,
    double uncertainty);

}  // namespace epochcast
