// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// The MPI library's own all-reduce.
inline constexpr const char* kLibrary = "openmpi";

/// The largest uncertainty with which costs say anything: a factor of 2.7 either way.
constexpr double kMostUncertainty = 1;

/// An all-reduce among all ranks (of the cluster, or of each node), and what its messages say of
/// it.
struct MeasuredAllReduce {
  std::string algorithm;
  double bytes = 0;
  double measured_s = 1;
  double forecast_s = 1;
  int ranks = 0;         ///< among so many; 0: not known
  double deviation = 0;  ///< of the logarithm of what a run may take from what was measured
  /// Larger than any that was measured: `measured_s` is in proportion to the largest one.
  bool is_extrapolated = false;

  bool operator==(const MeasuredAllReduce&) const = default;
};

/// How many times as long an all-reduce takes as its messages say, if this algorithm was measured
/// among as many ranks: between sizes, by their logarithm. 1 if it was not.
[[nodiscard]] double measured_factor(const std::vector<MeasuredAllReduce>& all_reduces,
                                     const std::string& algorithm,
                                     double bytes,
                                     int ranks);

/// Standard deviation of the logarithm of what such an exchange takes, at most kMostUncertainty.
/// If the algorithm was measured among as many ranks, that of measurements among these of about
/// this size (the nearest smaller and the nearest larger one; root mean square over all algorithms,
/// as a few sessions say little by one of them). Otherwise `of_messages`, or what all-reduces of
/// about this size were off by, if that is more. The library's own all-reduce is judged by itself,
/// all others together.
[[nodiscard]] double uncertainty_of(const std::vector<MeasuredAllReduce>& all_reduces,
                                    double of_messages,
                                    const std::string& algorithm,
                                    double bytes,
                                    int ranks);

}  // namespace epochcast
