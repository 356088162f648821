// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/show/table.hpp"
#include "core/job/forecast_outcome.hpp"

namespace epochcast {

/// What a row of a table of forecasts is about.
struct ForecastRow {
  const RunResult& run;
  std::size_t rank = 0;  ///< by time for equally many samples, from 1; 0: is_ranked() says no
  const RunResult* sync = nullptr;  ///< what it is compared with, if anything
};

/// A column of such tables.
struct ForecastColumn {
  std::string_view name;   ///< as --columns and --sort have it
  std::string_view title;  ///< above it
  /// What it may be sorted and exported by; seconds, bytes or shares. Rows that have none are last.
  double (*number)(const ForecastRow&) = nullptr;
  std::string (*cell)(const ForecastRow&) = nullptr;
  int importance = 0;  ///< where there is no room for all, the least important goes
  Table::Align align = Table::Align::right;
  std::size_t swept_width = 0;  ///< that a sweep, whose rows come one by one, leaves for it
  /// Whether a table has the column that holds this row; without: every table.
  bool (*has)(const ForecastRow&) = nullptr;
  Table::Paint paint = nullptr;
};

/// All of them, in their order. Who has something else to show adds an entry.
[[nodiscard]] std::span<const ForecastColumn> forecast_columns();
/// Their names, separated by commas.
[[nodiscard]] std::string forecast_column_names();

/// "8 v100-32gb + 2 epyc-7543": who works.
[[nodiscard]] std::string workers_text(const RunResult& run);
/// Whether communication overlaps computing.
[[nodiscard]] bool overlaps(const RunResult& run);

}  // namespace epochcast
