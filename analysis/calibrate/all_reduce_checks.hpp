// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/formats/message_trace.hpp"
#include "core/formats/platform.hpp"
#include "sim/exchange/collective_times.hpp"

namespace epochcast {

constexpr double kLargeAllReduce = 1 << 20;  ///< bytes: what training exchanges

/// Seconds of all-reduces on the platform, simulated in a process of its own. Throws a UserError
/// that begins with `file` for those that cannot be simulated.
[[nodiscard]] sim::AllReduceTimes simulated_times(const Platform& platform,
                                                  const std::vector<sim::AllReduceCase>& cases,
                                                  const std::string& file);

/// An all-reduce that was measured.
struct AllReduceCheck {
  sim::AllReduceCase all_reduce;
  bool is_fitted =
      false;  ///< it has told how much exchanges take turns; else the fit has not seen it
  double measured_s = 0;  ///< expected_s() of the samples
  double forecast_s = 0;
  double member_share = 1;  ///< of the forecast: its mean over members, of the slowest one's

  [[nodiscard]] double error() const { return forecast_s / measured_s - 1; }
};

/// Every all-reduce of the trace, simulated (in a process of its own) on a platform that has the
/// trace's nodes and ranks. Throws a UserError for algorithms that cannot be simulated.
[[nodiscard]] std::vector<AllReduceCheck> check_all_reduces(const Platform& platform,
                                                            const MessageTrace& trace);

/// All-reduces 4, 16 and 64 times as large as the largest that the trace has of their scope and
/// algorithm, if that is 1 MiB or more, simulated likewise. `measured_s` is in proportion to it.
[[nodiscard]] std::vector<AllReduceCheck> larger_all_reduces(const Platform& platform,
                                                             const MessageTrace& trace);

}  // namespace epochcast
