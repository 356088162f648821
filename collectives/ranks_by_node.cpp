// SPDX-License-Identifier: Apache-2.0
#include "collectives/ranks_by_node.hpp"

#include <algorithm>
#include <unordered_map>

#include "collectives/checks.hpp"

namespace epochcast {

RanksByNode::RanksByNode(const std::vector<int>& node_of_rank) {
  const auto ranks = static_cast<std::size_t>(checked_ranks(static_cast<int>(node_of_rank.size())));
  std::unordered_map<int, int> index_of_node;
  std::vector<int> sizes;
  node_.reserve(ranks);
  place_.reserve(ranks);
  for (const int name : node_of_rank) {
    const auto found = index_of_node.try_emplace(name, static_cast<int>(sizes.size()));
    if (found.second) sizes.push_back(0);
    const int node = found.first->second;
    node_.push_back(node);
    place_.push_back(sizes[static_cast<std::size_t>(node)]++);
  }
  begin_.push_back(0);
  for (const int size : sizes) begin_.push_back(begin_.back() + size);
  members_.resize(ranks);
  for (int rank = 0; rank < static_cast<int>(ranks); ++rank)
    members_[static_cast<std::size_t>(position_of(rank))] = rank;
}

int RanksByNode::largest() const {
  int largest = 0;
  for (int node = 0; node < nodes(); ++node) largest = std::max(largest, size_of(node));
  return largest;
}

bool RanksByNode::is_even() const {
  for (int node = 0; node < nodes(); ++node) {
    if (size_of(node) != size_of(0)) return false;
  }
  return true;
}

}  // namespace epochcast
