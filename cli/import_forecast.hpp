// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/import/import_job.hpp"
#include "cli/options/import_options.hpp"

namespace epochcast {

/// Shows what the imported job would do as --forecast asks: on the platform that it names, or on
/// nodes like the job's own, with links as the job's all-reduces show them. `cost` is what its
/// batches cost; `command` what the user typed. Throws a UserError where the job's records do not
/// tell enough.
void forecast_imported(const ImportOptions& options,
                       const ImportedJob& job,
                       const CostTrace& cost,
                       const std::string& command);

}  // namespace epochcast
