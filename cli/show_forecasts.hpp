// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/sweep.hpp"
#include "cli/job_options.hpp"

namespace epochcast {

/// In one of the formats below.
void show_outcomes(std::ostream& out,
                   Format format,
                   const std::vector<ForecastOutcome>& outcomes,
                   const std::string& command);

/// A ranked table for each point of the sweep, with what it means and where to doubt it.
void show_table(std::ostream& out, const std::vector<ForecastOutcome>& outcomes);
/// `epochcast.result/1`.
void show_json(std::ostream& out,
               const std::vector<ForecastOutcome>& outcomes,
               const std::string& command);
/// One line per run; the unit of each column is in its name.
void show_csv(std::ostream& out, const std::vector<ForecastOutcome>& outcomes);

}  // namespace epochcast
