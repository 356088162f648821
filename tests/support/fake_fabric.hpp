// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast::tests {

/// The cost of a transfer on the fake: a collective among several workers, or a message.
struct ExchangeCost {
  double alpha_s = 0;
  double beta_s_per_byte = 0;
};

/// One call of a worker on the fake fabric.
struct FakeCall {
  std::string name;             ///< the method, "all_reduce" for start_all_reduce, ...
  double bytes = 0;             ///< of this worker's payload
  double weight = 0;            ///< all_reduce
  int peer = -1;                ///< root, receiver or sender
  std::vector<int> ranks = {};  ///< of the communicator
  AllReduceChoice all_reduce = {};
  const void* data = nullptr;  ///< address of the payload's numbers
};

/// The events of a job: the calls of every worker in their order, by rank.
struct FakeRun {
  std::vector<std::vector<FakeCall>> calls;

  /// One worker's calls of the given name.
  [[nodiscard]] std::vector<FakeCall> of(int rank, const std::string& name) const;
};

/// Runs `program` on every worker, on a fabric in memory with real numbers and clocks of its own.
///
/// Workers are threads that run one at a time, in an order that depends only on the program. A
/// collective ends for all members `cost` after its start; barriers and groups of one are free. A
/// message starts when both sides have arrived. repeat() runs every iteration; traffic() counts
/// messages, not collectives. Rethrows the first exception of a worker; a deadlock ends with a
/// std::logic_error that lists each worker's operation.
FakeRun run_workers(std::vector<WorkerInfo> workers,
                    const std::function<void(Fabric&)>& program,
                    const ExchangeCost& cost = {});

/// One GPU worker per entry, on that node.
[[nodiscard]] std::vector<WorkerInfo> workers_on(const std::vector<int>& node_of_rank);

}  // namespace epochcast::tests
