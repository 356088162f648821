// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/statistics/pareto_front.hpp"
#include "results/result.hpp"

namespace epochcast {

/// Collects time and cost of all runs for the number of samples in the data set, or to the job's
/// target, to find the Pareto front. Runs of one network, data set and currency are compared;
/// unranked ones (is_ranked()) are left out.
class CostFront {
 public:
  /// The next run, and its name.
  void add(const RunResult& run, const std::string& name);
  /// The indices of the runs on the front, in the order of add(); empty without costs.
  [[nodiscard]] std::vector<std::size_t> places() const;
  /// Prints the runs on the front. Prints nothing if all clusters cost the same: the fastest is
  /// then the cheapest.
  void print(std::ostream& out) const;

 private:
  struct Run {
    std::string name;
    std::string currency;
    double per_hour = 0;
    std::size_t place = 0;
  };
  std::vector<Run> runs_;           ///< ranked runs with a cost
  std::vector<TimeAndCost> costs_;  ///< of these
  std::size_t count_ = 0;           ///< of all
  bool is_to_target_ = false;       ///< times are those to the job's target
};

}  // namespace epochcast
