// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include "cli/show/forecast_columns.hpp"
#include "cli/show/table.hpp"
#include "cli/show/table_style.hpp"
#include "results/forecast_outcome.hpp"

namespace epochcast {

/// A table of forecasts: the ranking of a job's strategies, or of all points of a sweep, one after
/// the other, with a column for each swept setting.
class ForecastTable {
 public:
  /// `tasks`: all tasks of the table, in their order.
  explicit ForecastTable(const std::vector<ForecastTask>& tasks, TableStyle style = {});

  /// Writes the runs of the next point, fastest first, unranked ones
  /// (is_ranked()) last, the first time below the common settings; sorted tables
  /// keep them for finish(). Without any successful forecast, nothing is
  /// written.
  void show(std::ostream& out, const std::vector<ForecastOutcome>& point);
  /// After the last point: writes kept rows, and names omitted columns.
  void finish(std::ostream& out);

  /// A task's point in the sweep: "nodes 4", without its strategy and common settings; empty if
  /// nothing else is swept. Consecutive tasks of one point are ranked.
  [[nodiscard]] std::string place_of(const ForecastTask& task) const;

 private:
  struct Axis {
    std::string name;
    bool is_number = true;
    std::size_t width = 0;  ///< of the longest value
  };
  /// The cells of all columns, shown or not.
  struct Row {
    std::vector<std::string> place;
    std::string rank;
    bool is_ranked = true;
    std::vector<std::string> cells;
    double sorted_by = 0;
  };

  [[nodiscard]] bool is_swept(const std::string& setting) const;
  [[nodiscard]] bool sweeps_layout() const;
  void show_heading(std::ostream& out,
                    const std::vector<const RunResult*>& runs,
                    const ForecastTask& task) const;
  [[nodiscard]] std::vector<std::size_t> wanted_columns() const;
  [[nodiscard]] Table begun() const;
  [[nodiscard]] Row row_of(const ForecastRow& row, const ForecastTask& task) const;
  void add(Row row);

  TableStyle style_;
  std::vector<Axis> axes_;            ///< swept axes with several values, without strategies
  std::size_t strategy_width_ = 0;    ///< of the longest name including its distinguishing settings
  bool has_ranks_ = true;             ///< several strategies at some point, or one point only
  bool has_batches_ = false;          ///< differ without being swept: strong scaling
  std::set<std::string> precisions_;  ///< of the runs so far
  std::vector<bool> has_column_;      ///< whether some row requires it, by column
  std::vector<std::size_t> columns_;  ///< shown, in their order
  std::vector<Row> kept_;             ///< of a sorted table
  Table table_;
  bool has_begun_ = false;
};

/// The runs of one point of a sweep, fastest first, by time for the same number of samples;
/// unranked ones (is_ranked()) last.
[[nodiscard]] std::vector<const RunResult*> ranked(const std::vector<ForecastOutcome>& point);

/// Explains the columns of such tables. `has_target`: runs are ranked by the time to one.
void show_legend(std::ostream& out, bool has_target);

}  // namespace epochcast
