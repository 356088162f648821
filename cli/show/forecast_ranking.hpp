// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cli/show/forecast_writer.hpp"
#include "core/job/forecast_outcome.hpp"

namespace epochcast {

/// What forecasts are ranked by: all for as many samples as the data set has.
enum class RankBy { time, cost, energy };

/// The value of --rank-by. Throws a UserError for anything else.
[[nodiscard]] RankBy rank_by_from(const std::string& text);

/// Runs of all points together, the best first; behind them those that are not ranked
/// (is_ranked()), and then what was not forecast. Throws a
/// UserError where no run has what they are ranked by, or not all of those that have it are of one
/// currency.
void rank(std::vector<ForecastOutcome>& outcomes, RankBy by);

/// Passes outcomes on to another writer, ranked, when all are there. Throws as rank().
[[nodiscard]] std::unique_ptr<ForecastWriter> ranking_writer(std::unique_ptr<ForecastWriter> writer,
                                                             RankBy by);

/// A table of all points of a sweep, the best first: time, cost and energy for as many samples as
/// the data set has, and a star where nothing is as fast and as cheap. Throws as rank().
[[nodiscard]] std::unique_ptr<ForecastWriter> ranking_table(std::ostream& out,
                                                            RankBy by,
                                                            const TableLook& look);

}  // namespace epochcast
