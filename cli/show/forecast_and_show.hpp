// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/forecast/sweep.hpp"
#include "cli/show/forecast_writer.hpp"

namespace epochcast {

/// What could not be forecast, of all outcomes.
class Failures {
 public:
  void add(const ForecastOutcome& outcome);

  /// Throws when nothing was forecast. What is impossible is listed with the others where that is
  /// to be expected: at some points of a sweep, or of a strategy when all were asked for; else it
  /// is an error.
  void check() const;

 private:
  std::vector<std::string> problems_;  ///< each once
  bool has_run_ = false;
  bool has_died_ = false;
  bool was_named_ = false;
  bool is_sweep_ = false;
};

/// Forecasts all tasks and writes them as they come, the last one included, while a bar on a
/// terminal's stderr tells how many are done. `each` gets every outcome, too.
[[nodiscard]] Failures forecast_and_show(const std::vector<ForecastTask>& tasks,
                                         SharedJobs& jobs,
                                         const RecordFiles& records,
                                         ForecastWriter& writer,
                                         const std::function<void(const ForecastOutcome&)>& each);

}  // namespace epochcast
