// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/show/table.hpp"
#include "core/job/forecast_outcome.hpp"

namespace epochcast {

/// A table of forecasts: the ranking of a job's strategies, or of all points of a sweep, one after
/// the other, with a column for each setting that is swept.
class ForecastTable {
 public:
  /// `tasks`: all that it is to hold, in their order.
  explicit ForecastTable(const std::vector<ForecastTask>& tasks);

  /// Writes the runs of the next place, fastest first, the first time below what all have in
  /// common. Where none could be forecast, there is nothing to write.
  void show(std::ostream& out, const std::vector<ForecastOutcome>& point);

  /// Where in the sweep a task is: "nodes 4", without its strategy and what all tasks share; empty
  /// where nothing else is swept. Tasks of one place that follow each other are ranked.
  [[nodiscard]] std::string place_of(const ForecastTask& task) const;

 private:
  /// Columns that only some tables have.
  struct Columns {
    bool has_interval = false;
    bool has_baseline = false;  ///< sync, beside others

    bool operator==(const Columns&) const = default;
  };
  struct Axis {
    std::string name;
    bool is_number = true;
    std::size_t width = 0;  ///< of the longest value
  };

  [[nodiscard]] bool is_swept(const std::string& setting) const;
  [[nodiscard]] bool sweeps_layout() const;
  void show_heading(std::ostream& out,
                    const std::vector<const RunResult*>& runs,
                    const ForecastTask& task) const;
  [[nodiscard]] Table begun() const;
  [[nodiscard]] std::vector<std::string> row_of(const RunResult& run,
                                                const ForecastTask& task,
                                                std::size_t rank,
                                                const RunResult* sync) const;

  std::vector<Axis> axes_;          ///< that have several values, but for strategies
  std::size_t strategy_width_ = 0;  ///< of the longest name with what tells it from its kin
  bool has_ranks_ = true;           ///< several strategies at some place, or one place only
  Columns columns_;
  Table table_;
  bool has_begun_ = false;
};

/// The runs of one point of a sweep, fastest first, by time for equally many samples.
[[nodiscard]] std::vector<const RunResult*> ranked(const std::vector<ForecastOutcome>& point);

/// What the columns of such tables mean.
void show_legend(std::ostream& out);

}  // namespace epochcast
