// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "base/files/output_file.hpp"
#include "core/timeline.hpp"
#include "results/result.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::real {

/// The result of a job, on its first rank, from the reports of its workers. Collective over `job`.
/// `result`: the parts that do not depend on the run.
[[nodiscard]] std::optional<RunResult> collect_result(RunResult result,
                                                      const std::vector<WorkerInfo>& workers,
                                                      const WorkerReport& own,
                                                      const std::vector<double>& epochs_s,
                                                      MPI_Comm job);

/// Writes every worker's events as Chrome trace JSON; `file` counts on the first rank. Collective
/// over `job`. Throws a RunError when the file cannot be written.
void collect_timeline(const Timeline& own,
                      const std::vector<WorkerInfo>& workers,
                      const std::string& title,
                      const OutputFile& file,
                      MPI_Comm job);

}  // namespace epochcast::real
