// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/timeline.hpp"
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

  /// Shows what a worker does, in seconds of its clock without omitted iterations, if the pass has
  /// a timeline.
  void show(int rank,
            Stream stream,
            std::string_view name,
            double start_s,
            double end_s,
            double bytes = 0) {
    if (pass.timeline == nullptr) return;
    const double skipped_s = clocks.of(rank).skipped_s;
    pass.timeline->add({.worker = rank,
                        .stream = stream,
                        .name = std::string(name),
                        .start_s = start_s + skipped_s,
                        .end_s = end_s + skipped_s,
                        .bytes = bytes});
  }

  const WorkerLayout layout;
  SimOptions options;
  Communicators communicators;
  Clocks clocks;
  Interference interference;
  PassOptions pass;
  bool has_dealt = false;  ///< any number on demand, in this pass
};

}  // namespace epochcast::sim
