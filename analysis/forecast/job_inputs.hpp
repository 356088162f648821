// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/job/job.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// All inputs of a job except programs and machines, as the key of its stored results: the settings
/// that count in `command`, checksums of the contents of the platform (not of `train`, which has
/// none), network, data set and `traces`, and the marks of a data folder's files and of pretrained
/// weights. Throws a UserError when a file cannot be read.
[[nodiscard]] nlohmann::json job_inputs(const JobConfig& config,
                                        Command command,
                                        const std::vector<CostTrace>& traces,
                                        const Catalog& catalog);

/// A substitute for the content of a large file: its path, size, and times of last change. The
/// second of these, the inode's (POSIX ctime), cannot be set by users.
[[nodiscard]] nlohmann::json mark_of(const std::filesystem::path& file);

}  // namespace epochcast
