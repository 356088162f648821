// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/import/import_job.hpp"
#include "cli/options/import_options.hpp"

namespace epochcast {

/// Throws a UserError if --forecast is impossible regardless of the records.
void check_forecast(const ImportOptions& options);
/// Throws a UserError if the job's records are too few for the forecast.
void check_records(const ImportOptions& options, const ImportedJob& job);

/// Shows the forecast of the imported job: on the platform of --forecast, or on nodes like the
/// job's own with links fitted to its all-reduces. `cost`: of its batches; `command`: the command
/// line.
void forecast_imported(const ImportOptions& options,
                       const ImportedJob& job,
                       const CostTrace& cost,
                       const std::string& command);

}  // namespace epochcast
