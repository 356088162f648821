// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "sim/exchange/clocks.hpp"
#include "sim/exchange/communicators.hpp"
#include "sim/exchange/interference.hpp"
#include "sim/exchange/options.hpp"
#include "sim/exchange/worker_layout.hpp"

namespace epochcast::sim {

/// State that the parts of a Runtime share.
struct RuntimeState {
  RuntimeState(Cluster& cluster,
               std::vector<WorkerInfo> workers,
               const AllReduceChoice& all_reduce,
               SimOptions given)
      : layout(cluster, std::move(workers)),
        options(std::move(given)),
        communicators(layout, all_reduce),
        clocks(layout.workers().size()),
        interference(layout.node_count()) {}
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;

  const WorkerLayout layout;
  SimOptions options;
  Communicators communicators;
  Clocks clocks;
  Interference interference;
  PassOptions pass;
  bool has_dealt = false;  ///< any number on demand, in this pass
};

}  // namespace epochcast::sim
