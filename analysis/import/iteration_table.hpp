// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// The column with the times of a table of iterations; empty fields are taken from the header.
struct TimeColumn {
  std::string name = {};
  std::string unit = {};  ///< "ms"
};

/// One iteration of a table.
struct IterationRow {
  double seconds = 0;
  std::int64_t batch = 0;  ///< 0: the table has no such column
  std::int64_t rank = 0;
};

/// Iterations, one a row.
struct IterationTable {
  std::string time_column;
  bool has_batch = false;
  std::vector<IterationRow> rows;
};

/// Reads a CSV file with a header row: a column of times, whose name ends in its unit
/// ("iteration_time_ms", "step time [s]") unless `column` gives it, optionally "batch" or
/// "batch_size", and "rank"; others are ignored. Throws a UserError with the first twenty errors
/// and their rows.
[[nodiscard]] IterationTable parse_iteration_table(std::string_view text,
                                                   const std::string& file,
                                                   const TimeColumn& column);

}  // namespace epochcast
