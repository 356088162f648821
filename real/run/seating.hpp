// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast::real {

/// Which worker of an emulated job each rank is.
struct Seating {
  std::vector<std::optional<int>> worker_of_rank;  ///< nothing: the rank rests
  int machines = 0;                                ///< that have workers
  bool is_shared = false;                          ///< some machine has several nodes
};

/// Seats all workers of a node on one machine: node i on machine i where all nodes fit so; else
/// nodes in turn, each on the first machine that has room for it. `machine_of_rank`: machines
/// numbered in the order of their first ranks. Throws a UserError when some node finds none.
[[nodiscard]] Seating seat(const std::vector<WorkerInfo>& workers,
                           const std::vector<int>& machine_of_rank);

}  // namespace epochcast::real
