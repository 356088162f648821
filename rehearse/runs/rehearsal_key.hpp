// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/job/job.hpp"
#include "strategies/costed_job.hpp"

namespace epochcast {

/// A hash of everything that a rehearsal's numbers depend on: job_inputs(), the program, and the
/// processor's model. Throws a UserError when a file cannot be read.
[[nodiscard]] std::string rehearsal_key(const JobConfig& config,
                                        const Job& job,
                                        const Catalog& catalog,
                                        const std::filesystem::path& program);

/// A hash of everything that a rehearsal's numbers depend on, but the sequences:
/// learning_settings() and their precision, network, data, the program and the processor's model.
/// Throws a UserError when a file cannot be read.
[[nodiscard]] std::string learning_key(const CostedJob& job,
                                       const JobConfig& config,
                                       const Catalog& catalog,
                                       const std::filesystem::path& program);

}  // namespace epochcast
