// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// The MPI library's own all-reduce.
inline constexpr const char* kLibrary = "openmpi";

/// The largest uncertainty of usable costs: a factor of 2.7 either way.
constexpr double kMostUncertainty = 1;

/// A measured all-reduce among all ranks (of the cluster, or of each node), and its time simulated
/// from its messages.
struct MeasuredAllReduce {
  std::string algorithm;
  double bytes = 0;
  double measured_s = 1;
  double forecast_s = 1;
  int ranks = 0;         ///< number of ranks; 0: unknown
  double deviation = 0;  ///< of the logarithm of a run's time over the measured time
  /// Larger than all measured ones: `measured_s` is extrapolated in proportion to size.
  bool is_extrapolated = false;

  bool operator==(const MeasuredAllReduce&) const = default;
};

/// The ratio of the measured time of an all-reduce to that simulated from its messages, if this
/// algorithm was measured among as many ranks: interpolated in the logarithm of the size. 1 if it
/// was not.
[[nodiscard]] double measured_factor(const std::vector<MeasuredAllReduce>& all_reduces,
                                     const std::string& algorithm,
                                     double bytes,
                                     int ranks);

/// Standard deviation of the logarithm of such an exchange's time, at most kMostUncertainty. If
/// the algorithm was measured among as many ranks, that of measurements among these of about this
/// size (the nearest smaller and the nearest larger one; root mean square over all algorithms,
/// since one algorithm has few sessions). Otherwise `of_messages`, or the error for all-reduces of
/// about this size, if that is larger. The library's own all-reduce is judged by itself, all
/// others together.
[[nodiscard]] double uncertainty_of(const std::vector<MeasuredAllReduce>& all_reduces,
                                    double of_messages,
                                    const std::string& algorithm,
                                    double bytes,
                                    int ranks);

}  // namespace epochcast
