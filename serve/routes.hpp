// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/job/job.hpp"
#include "core/job/setting.hpp"
#include "serve/forking_server.hpp"
#include "serve/job_cache.hpp"

namespace epochcast {

/// Adds the page and its requests (docs/formats.md). `given`: the initial experiment. All must
/// outlive the server.
void add_routes(ForkingServer& server,
                const Catalog& catalog,
                const std::vector<SettingText>& given,
                JobCache& cache);

}  // namespace epochcast
