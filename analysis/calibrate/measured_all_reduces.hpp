// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "core/costs/message_costs.hpp"
#include "core/formats/message_trace.hpp"

namespace epochcast {

/// The trace's all-reduces of a scope among the given number of ranks: the mean of all sessions
/// with their deviation; for one session that of samples, or of messages by `uncertainty`. To six
/// digits. `checks` and the `larger` ones extrapolated from them are of the trace.
[[nodiscard]] std::vector<MeasuredAllReduce> measured_all_reduces(
    const MessageTrace& trace,
    const std::vector<AllReduceCheck>& checks,
    const std::vector<AllReduceCheck>& larger,
    const std::string& scope,
    int ranks,
    double uncertainty);

}  // namespace epochcast
