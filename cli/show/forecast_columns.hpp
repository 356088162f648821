// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/show/table.hpp"
#include "results/forecast_outcome.hpp"

namespace epochcast {

/// The data of a row in a table of forecasts.
struct ForecastRow {
  const RunResult& run;
  std::size_t rank = 0;  ///< by time for the same number of samples, from 1; 0: unranked, see
                         ///< is_ranked()
  const RunResult* sync = nullptr;  ///< its baseline, if any
};

/// A column of such tables.
struct ForecastColumn {
  std::string_view name;   ///< its name in --columns and --sort
  std::string_view title;  ///< above it
  /// The number for sorting and export: seconds, bytes or shares. Rows without one are last.
  double (*number)(const ForecastRow&) = nullptr;
  std::string (*cell)(const ForecastRow&) = nullptr;
  int importance = 0;  ///< if the line is too short, the least important is omitted
  Table::Align align = Table::Align::right;
  std::size_t swept_width = 0;  ///< reserved in a sweep, whose rows are printed one by one
  /// Whether this row requires the column; null: every table has it.
  bool (*has)(const ForecastRow&) = nullptr;
  Table::Paint paint = nullptr;
};

/// All of them, in their order. New columns are added there.
[[nodiscard]] std::span<const ForecastColumn> forecast_columns();
/// Their names, separated by commas.
[[nodiscard]] std::string forecast_column_names();

/// "8 v100-32gb + 2 epyc-7543": the workers.
[[nodiscard]] std::string workers_text(const RunResult& run);
/// Whether communication overlaps computing.
[[nodiscard]] bool overlaps(const RunResult& run);

}  // namespace epochcast
