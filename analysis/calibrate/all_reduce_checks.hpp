// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/formats/message_trace.hpp"
#include "core/formats/platform.hpp"
#include "sim/exchange/collective_times.hpp"

namespace epochcast {

constexpr double kLargeAllReduce = 1 << 20;  ///< bytes: the size of exchanges in training

/// A measured all-reduce.
struct AllReduceCheck {
  sim::AllReduceCase all_reduce;
  double measured_s = 0;  ///< expected_s() of the samples
  double forecast_s = 0;

  [[nodiscard]] double error() const { return forecast_s / measured_s - 1; }
};

/// Every all-reduce of the trace, simulated (in a child process) on a platform with the trace's
/// nodes and ranks. Throws a UserError for algorithms that cannot be simulated.
[[nodiscard]] std::vector<AllReduceCheck> check_all_reduces(const Platform& platform,
                                                            const MessageTrace& trace);

/// All-reduces 4, 16 and 64 times as large as the trace's largest of their scope and algorithm, if
/// that is 1 MiB or more, simulated likewise. `measured_s` is extrapolated in proportion to size.
[[nodiscard]] std::vector<AllReduceCheck> larger_all_reduces(const Platform& platform,
                                                             const MessageTrace& trace);

}  // namespace epochcast
