// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cli/show/forecast_writer.hpp"
#include "results/forecast_outcome.hpp"

namespace epochcast {

/// The ranking criterion: all for the number of samples in the data set.
enum class RankBy { time, cost, energy };

/// The value of --rank-by. Throws a UserError for anything else.
[[nodiscard]] RankBy rank_by_from(const std::string& text);

/// Sorts runs of all points together, the best first; then
/// unranked ones (is_ranked()), and then failed ones. Throws a
/// UserError if no run has the criterion, or if currencies
/// differ.
void rank(std::vector<ForecastOutcome>& outcomes, RankBy by);

/// Passes ranked outcomes on to another writer after the last one. Throws as rank().
[[nodiscard]] std::unique_ptr<ForecastWriter> ranking_writer(std::unique_ptr<ForecastWriter> writer,
                                                             RankBy by);

/// A table of all points of a sweep, the best first: time, cost and energy for the number of
/// samples in the data set, and a star for runs on the Pareto front. Throws as rank().
[[nodiscard]] std::unique_ptr<ForecastWriter> ranking_table(std::ostream& out,
                                                            RankBy by,
                                                            const TableLook& look);

}  // namespace epochcast
