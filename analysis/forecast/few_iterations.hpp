// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analysis/forecast/sweep.hpp"

namespace epochcast {

/// The first iterations of every worker, task by task, simulated again with median costs: a
/// list of {"name", "workers", "names", "streams", "events", "is_whole"}. An event is
/// [worker, stream, name, start_s, end_s, bytes], stream and name as indices of their
/// lists; at most `most_events` of them, the earliest ones. Tasks without a forecast are
/// left out.
[[nodiscard]] nlohmann::ordered_json few_iterations(const std::vector<ForecastTask>& tasks,
                                                    SharedJobs& jobs,
                                                    std::size_t most_events);

}  // namespace epochcast
