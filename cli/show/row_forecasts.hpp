// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/throughput/rows_file.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// Answers to the questions of a rows file, each in the order of its questions.
struct RowForecasts {
  std::vector<StepForecast> steps;
  std::vector<StepForecast> collectives;
  std::vector<StepForecast> rounds;
  std::vector<StepForecast> fit;  ///< of the measured rows; empty if no step is asked for
};

/// Samples per second: integers from 100 on, else three digits.
[[nodiscard]] std::string row_rate_text(double samples_per_s);
/// Of a step of all devices.
[[nodiscard]] double samples_of(const TrainingRow& row);

/// Tables of the answers, and of the measured rows beside their fit.
void show_row_forecasts(std::ostream& out,
                        const RowsFile& rows,
                        const RowForecasts& answers,
                        const TableLook& look);
/// The document `epochcast.row-forecasts/1`.
[[nodiscard]] nlohmann::ordered_json row_forecasts_json(const RowsFile& rows,
                                                        const RowForecasts& answers);

}  // namespace epochcast
