// SPDX-License-Identifier: Apache-2.0
#include "real/run/rank_placement.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"

namespace epochcast::real {
namespace {

using Members = std::map<int, std::vector<int>>;  // of nodes, or machines

std::size_t room_of(const Members& ranks, int machine) {
  const auto found = ranks.find(machine);
  return found == ranks.end() ? 0 : found->second.size();
}

/// The machine of each node.
std::map<int, int> machines_of(const Members& workers_of_node, const Members& ranks_of_machine) {
  std::map<int, int> machines;
  for (const auto& [node, members] : workers_of_node) {
    if (room_of(ranks_of_machine, node) >= members.size()) machines[node] = node;
  }
  if (machines.size() == workers_of_node.size()) return machines;
  machines.clear();
  std::map<int, std::size_t> taken;
  for (const auto& [node, members] : workers_of_node) {
    const std::size_t count = members.size();
    const auto machine =
        std::find_if(ranks_of_machine.begin(), ranks_of_machine.end(), [&](const auto& each) {
          return each.second.size() >= taken[each.first] + count;
        });
    if (machine == ranks_of_machine.end()) {
      throw UserError("no machine has room left for the " + std::to_string(count) +
                      " workers of node " + std::to_string(node) +
                      "; give every host a multiple of a node's workers");
    }
    taken[machine->first] += count;
    machines[node] = machine->first;
  }
  return machines;
}

}  // namespace

RankPlacement place_workers(const std::vector<WorkerInfo>& workers,
                            const std::vector<int>& machine_of_rank) {
  if (machine_of_rank.size() < workers.size()) {
    throw UserError("this job needs " + std::to_string(workers.size()) +
                    " ranks, one for each worker of the platform; mpirun started " +
                    std::to_string(machine_of_rank.size()));
  }
  Members workers_of_node;
  for (std::size_t i = 0; i < workers.size(); ++i)
    workers_of_node[workers[i].node].push_back(static_cast<int>(i));
  Members ranks_of_machine;
  for (std::size_t rank = 0; rank < machine_of_rank.size(); ++rank)
    ranks_of_machine[machine_of_rank[rank]].push_back(static_cast<int>(rank));
  RankPlacement placement;
  placement.worker_of_rank.resize(machine_of_rank.size());
  std::map<int, std::size_t> taken;
  for (const auto& [node, machine] : machines_of(workers_of_node, ranks_of_machine)) {
    std::size_t& next = taken[machine];
    placement.is_shared = placement.is_shared || next > 0;
    for (const int worker : workers_of_node.at(node)) {
      const int rank = ranks_of_machine.at(machine)[next++];
      placement.worker_of_rank[static_cast<std::size_t>(rank)] = worker;
    }
  }
  placement.machines = static_cast<int>(taken.size());
  return placement;
}

}  // namespace epochcast::real
