// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analysis/forecast/sweep.hpp"

namespace epochcast {

/// What every worker does at the beginning of training, task by task, simulated once more with
/// costs that are medians: a list of {"name", "workers", "names", "streams", "events", "is_whole"}.
/// An event is [worker, stream, name, start_s, end_s, bytes], stream and name as places in their
/// lists; at most `most_events` of them, those that begin first. Tasks that cannot be forecast are
/// left out.
[[nodiscard]] nlohmann::ordered_json few_iterations(const std::vector<ForecastTask>& tasks,
                                                    SharedJobs& jobs,
                                                    std::size_t most_events);

}  // namespace epochcast
