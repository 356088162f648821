// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

namespace epochcast {

/// Options of `calibrate` for throughputs: --rows, --row, --forecast, benchmarks' outputs, the job
/// and the cluster.
[[nodiscard]] boost::program_options::options_description row_options();

/// Whether --rows or --row is given.
[[nodiscard]] bool has_rows(const boost::program_options::variables_map& values);

/// Throws a UserError for an option of throughputs that is given without --row and --rows.
void check_no_rows(const boost::program_options::variables_map& values);

/// Fits the rows and prints the forecasts of --forecast and of the file. Throws a UserError.
void forecast_rows_of(const boost::program_options::variables_map& values);

}  // namespace epochcast
