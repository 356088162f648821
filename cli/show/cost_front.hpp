// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/formats/result.hpp"
#include "core/pareto_front.hpp"

namespace epochcast {

/// Gathers what all runs take and cost for as many samples as the data set has, to tell the front
/// of time against cost. Runs of one network, data set and currency are compared, those that are
/// not ranked (is_ranked()) left out.
class CostFront {
 public:
  /// The next run, and what it is called.
  void add(const RunResult& run, const std::string& name);
  /// The places of the runs on the front, in the order of add(); empty where none has a cost.
  [[nodiscard]] std::vector<std::size_t> places() const;
  /// Whose runs are on it. Nothing where all clusters cost the same, so that the fastest is the
  /// cheapest.
  void print(std::ostream& out) const;

 private:
  struct Run {
    std::string name;
    std::string currency;
    double per_hour = 0;
    std::size_t place = 0;
  };
  std::vector<Run> runs_;           ///< that are ranked and have a cost
  std::vector<TimeAndCost> costs_;  ///< of these
  std::size_t count_ = 0;           ///< of all
};

}  // namespace epochcast
