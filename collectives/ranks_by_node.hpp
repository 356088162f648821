// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast {

/// The ranks of a group, node by node; nodes in order of their first rank.
class RanksByNode {
 public:
  /// `node_of_rank`: any number per node. Throws std::invalid_argument when empty.
  explicit RanksByNode(const std::vector<int>& node_of_rank);

  [[nodiscard]] int ranks() const { return static_cast<int>(node_.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(begin_.size()) - 1; }
  [[nodiscard]] int size_of(int node) const { return begin_of(node + 1) - begin_of(node); }
  /// Ranks on the node with the most.
  [[nodiscard]] int largest() const;
  /// Whether all nodes have equally many ranks.
  [[nodiscard]] bool is_even() const;

  [[nodiscard]] int node_of(int rank) const { return node_[static_cast<std::size_t>(rank)]; }
  /// The place of a rank among the ranks of its node.
  [[nodiscard]] int place_of(int rank) const { return place_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int member(int node, int place) const { return at(begin_of(node) + place); }

  /// The position of a rank when all are listed node by node, and the rank at a position.
  [[nodiscard]] int position_of(int rank) const { return begin_of(node_of(rank)) + place_of(rank); }
  [[nodiscard]] int at(int position) const { return members_[static_cast<std::size_t>(position)]; }

 private:
  [[nodiscard]] int begin_of(int node) const { return begin_[static_cast<std::size_t>(node)]; }

  std::vector<int> node_;     ///< of a rank
  std::vector<int> place_;    ///< of a rank
  std::vector<int> members_;  ///< ranks, node by node
  std::vector<int> begin_;    ///< of a node in members_, and the end
};

}  // namespace epochcast
