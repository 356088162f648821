// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast::real {

/// The worker of an emulated job that each rank runs.
struct RankPlacement {
  std::vector<std::optional<int>> worker_of_rank;  ///< absent: the rank is idle
  int machines = 0;                                ///< that have workers
  bool is_shared = false;                          ///< some machine runs several nodes
};

/// Places all workers of a node on one machine: node i on machine i if all nodes fit so; else
/// nodes in turn, each on the first machine with enough free ranks. `machine_of_rank`: machines
/// numbered in the order of their first ranks. Throws a UserError when a node fits on none.
[[nodiscard]] RankPlacement place_workers(const std::vector<WorkerInfo>& workers,
                                          const std::vector<int>& machine_of_rank);

}  // namespace epochcast::real
