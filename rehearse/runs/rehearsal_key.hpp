// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/job/job.hpp"

namespace epochcast {

/// Everything that a rehearsal's numbers depend on, as one name: what job_inputs() says, the
/// program, and the kind of processor. Throws a UserError when a file cannot be read.
[[nodiscard]] std::string rehearsal_key(const JobConfig& config,
                                        const Job& job,
                                        const Catalog& catalog,
                                        const std::filesystem::path& program);

}  // namespace epochcast
