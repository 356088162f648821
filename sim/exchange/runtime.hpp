// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/exchange/collectives.hpp"
#include "sim/exchange/contention.hpp"
#include "sim/exchange/deals.hpp"
#include "sim/exchange/messages.hpp"
#include "sim/exchange/options.hpp"
#include "sim/exchange/parts.hpp"
#include "sim/exchange/runtime_state.hpp"
#include "sim/loops/loops.hpp"
#include "sim/platform/cluster.hpp"
#include "sim/sim_fabric.hpp"

namespace epochcast::sim {

/// A job on a simulated cluster: runs its program on every worker.
class Runtime {
 public:
  Runtime(Cluster& cluster,
          std::vector<WorkerInfo> workers,
          const AllReduceChoice& all_reduce,
          SimOptions options);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Runs `program` on every worker until all have returned, from within Cluster::run(). Costs of
  /// collectives learned by one pass are replayed by later ones. Rethrows the first exception of a
  /// worker. Returns false when an acceleration was not valid: the result must be discarded, and
  /// later passes omit less.
  [[nodiscard]] bool run_pass(const std::function<void(Fabric&)>& program, const PassOptions& pass);

  /// Whether pilot passes have found loops to sample; else every iteration is run, without
  /// pilots.
  [[nodiscard]] bool samples_loops() const {
    return state_.options.acceleration != Acceleration::none && loops_.has_statistics();
  }

  /// Of times between numbers of Fabric::deal() that were estimated: see Deals.
  [[nodiscard]] double omitted_half_width() const { return deals_.omitted_half_width(); }

  /// Messages sent through SimGrid until now.
  [[nodiscard]] std::int64_t simulated_messages() const { return messages_.sent(); }

 private:
  void begin_pass(const PassOptions& pass);

  RuntimeState state_;
  Messages messages_;
  Parts parts_;
  Contention contention_;
  Collectives collectives_;
  Deals deals_;
  Loops loops_;
  std::vector<std::unique_ptr<SimFabric>> fabrics_;  ///< by rank
};

}  // namespace epochcast::sim
