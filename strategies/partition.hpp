// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast {

/// Relative speeds c_p = s_p / min s with s_p = 1/t_p (HetGrad, step 1). `seconds` must be above
/// zero.
[[nodiscard]] std::vector<double> relative_speeds(const std::vector<double>& seconds);

/// (total/Σc)·c_p for every worker, rounded so that they sum to `total` (HetGrad, step 2: "rounded
/// to obtain the desired M"): floors, then one more to the largest remainders. A worker too slow
/// for half a unit may get none.
[[nodiscard]] std::vector<std::int64_t> proportional_shares(std::int64_t total,
                                                            const std::vector<double>& speeds);

/// The beginning of each worker's share if they are put one after the other, and the end of the
/// last one.
[[nodiscard]] std::vector<std::int64_t> begins_of(const std::vector<std::int64_t>& shares);

/// Seconds of a worker as a function of its batch: measured points joined by lines, from (0, 0).
class TimeCurve {
 public:
  void add(std::int64_t batch, double seconds);
  /// The (real-valued) batch that takes `seconds`.
  [[nodiscard]] double batch_in(double seconds) const;

 private:
  struct Point {
    double batch;
    double seconds;
  };
  std::vector<Point> points_;  ///< ascending batches
};

/// Batches that sum to `total` and take equal time on the curves (Lastovetsky and Reddy's
/// functional performance model: Clarke, Lastovetsky, Rychkov, "FuPerMod", 2013).
[[nodiscard]] std::vector<std::int64_t> functional_shares(std::int64_t total,
                                                          const std::vector<TimeCurve>& curves);

/// (max - min) / max of the busy workers' seconds: 0 if all finish at the same time.
[[nodiscard]] double imbalance(const std::vector<double>& seconds);

}  // namespace epochcast
