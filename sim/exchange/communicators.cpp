// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/communicators.hpp"

#include <map>
#include <numeric>
#include <utility>

namespace epochcast::sim {

Communicators::Communicators(const WorkerLayout& layout, const AllReduceChoice& all_reduce)
    : layout_(layout), nodes_(layout.workers().size(), nullptr) {
  std::vector<int> all_ranks(layout.workers().size());
  std::iota(all_ranks.begin(), all_ranks.end(), 0);
  std::map<int, std::vector<int>> by_node;
  for (const int rank : all_ranks) by_node[layout.worker(rank).node].push_back(rank);
  static_cast<void>(find(std::move(all_ranks), all_reduce));
  for (const auto& [node, members] : by_node) {
    const Communicator& inside = find(members, all_reduce);
    for (const int rank : members) nodes_[static_cast<std::size_t>(rank)] = &inside;
  }
}

const Communicator& Communicators::find(std::vector<int> ranks, const AllReduceChoice& all_reduce) {
  // Nodes have a communicator each: a search among all would be quadratic.
  std::vector<const Known*>& alike = known_from_[ranks.front()];
  for (const Known* known : alike) {
    const Communicator& communicator = known->communicator;
    if (communicator.all_reduce == all_reduce && communicator.ranks == ranks) return communicator;
  }
  auto made = std::make_unique<Known>();
  made->footprint = layout_.footprint(ranks);
  made->communicator = {
      .id = static_cast<int>(known_.size()), .ranks = std::move(ranks), .all_reduce = all_reduce};
  alike.push_back(made.get());
  known_.push_back(std::move(made));
  return known_.back()->communicator;
}

}  // namespace epochcast::sim
