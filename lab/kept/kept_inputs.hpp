// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "core/formats/message_trace.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// Inputs of a validation's forecasts, as its folder keeps them.
struct KeptInputs {
  std::vector<Job> jobs;                ///< one for each forecast
  std::vector<std::size_t> row_of_job;  ///< ascending; a row that had no forecast has none
  /// Calibrated platforms by JobConfig::platform, without the figures of a job.
  std::map<std::string, Platform> platforms;
  /// Their message traces.
  std::map<std::string, MessageTrace> messages;
};

/// Finds them. A forecast names its platform, which lies in the validation's folder beside
/// messages and batches. `folder`: the folder's present place; empty: not
/// moved. Throws a UserError that lists missing and unreadable files.
[[nodiscard]] KeptInputs kept_inputs(const std::vector<ValidationRow>& rows,
                                     const std::filesystem::path& folder,
                                     const Catalog& catalog);

}  // namespace epochcast
