// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/import/import_job.hpp"
#include "cli/options/import_options.hpp"

namespace epochcast {

/// Throws a UserError where what --forecast asks for cannot be, whatever the records say.
void check_forecast(const ImportOptions& options);
/// Throws a UserError where the job's records do not tell enough for the forecast.
void check_records(const ImportOptions& options, const ImportedJob& job);

/// Shows what the imported job would do as --forecast asks: on the platform that it names, or on
/// nodes like the job's own, with links as the job's all-reduces show them. `cost` is what its
/// batches cost; `command` what the user typed.
void forecast_imported(const ImportOptions& options,
                       const ImportedJob& job,
                       const CostTrace& cost,
                       const std::string& command);

}  // namespace epochcast
