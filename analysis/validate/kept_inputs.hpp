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

/// What the forecasts of a validation were made of, as its folder keeps it.
struct KeptInputs {
  std::vector<Job> jobs;                ///< one for each forecast
  std::vector<std::size_t> row_of_job;  ///< ascending; a row that had no forecast has none
  /// By JobConfig::platform, a file that was calibrated: what it says, without a job's figures.
  std::map<std::string, Platform> platforms;
  /// And the messages that it comes from.
  std::map<std::string, MessageTrace> messages;
};

/// Finds them. A forecast names its platform, which lies in the validation's folder beside
/// messages and batches. `folder`: where that folder lies now; empty: where
/// it was. Throws a UserError that lists what is not there, or cannot be read.
[[nodiscard]] KeptInputs kept_inputs(const std::vector<ValidationRow>& rows,
                                     const std::filesystem::path& folder,
                                     const Catalog& catalog);

}  // namespace epochcast
