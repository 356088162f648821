// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/network_fit.hpp"
#include "core/formats/platform.hpp"
#include "sim/exchange/collective_times.hpp"

namespace epochcast {

/// A platform for the machines of a message trace: one device of class "cpu" for each rank, of the
/// model given for it. Its source is the trace's.
[[nodiscard]] Platform platform_of_trace(const MessageTrace& trace,
                                         const std::vector<std::string>& model_of_rank);

/// The platform with what the fit says of its network, the insides of its nodes and its devices'
/// adding, to six digits, and `source`: of the trace that was fitted. What was not measured stays
/// as it is. Inside nodes, measured messages go through memory, whatever the topology was.
///
/// Where nodes were found to have links of their own, node i of the platform is node i of the
/// trace: groups of nodes are divided accordingly. A platform with another number of nodes, or that
/// is no star, has the slowest link everywhere, and a note that says so.
[[nodiscard]] Platform calibrated_platform(Platform platform,
                                           const NetworkFit& fit,
                                           const Source& source);

/// An all-reduce that was measured.
struct AllReduceCheck {
  sim::AllReduceCase all_reduce;
  bool is_fitted =
      false;  ///< it has told how much exchanges take turns; else the fit has not seen it
  double measured_s = 0;  ///< expected_s() of the samples
  double forecast_s = 0;

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

/// The fit of a trace and what it says of the trace's own all-reduces.
struct Calibration {
  NetworkFit fit;
  std::vector<AllReduceCheck> checks;
};

/// Fits the trace and checks it. The library's own all-reduces among all ranks say how much their
/// exchanges take turns, where they do. How far off all other large all-reduces are, which the fit
/// has not seen, adds to the uncertainty of its messages (root of the sum of squares). Throws a
/// UserError for traces that cannot be fitted, or with an uncertainty above kMostUncertainty.
[[nodiscard]] Calibration calibrate(const MessageTrace& trace);

}  // namespace epochcast
