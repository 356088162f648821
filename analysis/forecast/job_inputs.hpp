// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/job/job.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// Everything that a job's numbers depend on but for programs and machines, so that what is kept of
/// it can be named: the settings that count in `command`, checksums of the contents of the platform
/// (not of `train`, which has none), network, data set and `traces`, and the marks of a data
/// folder's files and of pretrained weights. Throws a UserError when a file cannot be read.
[[nodiscard]] nlohmann::json job_inputs(const JobConfig& config,
                                        Command command,
                                        const std::vector<CostTrace>& traces,
                                        const Catalog& catalog);

/// Stands for a file's content where that may be large: its path, size, and the times of its last
/// change. The second of these, of the inode (POSIX ctime), is not to be set by people.
[[nodiscard]] nlohmann::json mark_of(const std::filesystem::path& file);

}  // namespace epochcast
