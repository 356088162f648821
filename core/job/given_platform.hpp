// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/platform.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// load_job() with this platform in the place of the file that the configuration names.
[[nodiscard]] Job load_job(const JobConfig& config,
                           const Platform& platform,
                           const Catalog& catalog);

}  // namespace epochcast
