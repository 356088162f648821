// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/forecast/kept_results.hpp"
#include "analysis/validate/cluster_runner.hpp"
#include "core/job/job.hpp"
#include "results/result.hpp"

namespace epochcast {

/// One repetition of a case, run for real on its cluster; kept runs are not repeated. `more_words`
/// follow the settings of its command. Throws a RunError if the run fails.
[[nodiscard]] RunResult run_case(const ClusterRunner& runner,
                                 const ValidationCase& one,
                                 std::size_t repetition,
                                 const std::vector<std::string>& more_words,
                                 const KeptResults& kept,
                                 const Catalog& catalog);

}  // namespace epochcast
