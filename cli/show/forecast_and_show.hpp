// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/forecast/sweep.hpp"
#include "cli/show/forecast_writer.hpp"

namespace epochcast {

/// The failed forecasts among all outcomes.
class Failures {
 public:
  void add(const ForecastOutcome& outcome);

  /// Throws when no forecast succeeded. Impossible combinations are listed with the others if they
  /// are to be expected: at some points of a sweep, or for a strategy of "all"; else they are
  /// errors.
  void check() const;

 private:
  std::vector<std::string> problems_;  ///< each once
  bool has_run_ = false;
  bool has_died_ = false;
  bool was_named_ = false;
  bool is_sweep_ = false;
};

/// Forecasts all tasks and writes each as it completes, while a bar on a terminal's stderr shows
/// the number done. `each` gets every outcome, too.
[[nodiscard]] Failures forecast_and_show(const std::vector<ForecastTask>& tasks,
                                         SharedJobs& jobs,
                                         const RecordFiles& records,
                                         ForecastWriter& writer,
                                         const std::function<void(const ForecastOutcome&)>& each,
                                         const ForecastPlace& place = {});

}  // namespace epochcast
