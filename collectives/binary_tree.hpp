// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collectives/reduce_broadcast.hpp"

namespace epochcast {

/// Reduces the whole payload up a BalancedTree to rank 0 and broadcasts it down the same tree.
class BinaryTree : public ReduceBroadcast {
 public:
  /// Throws std::invalid_argument when ranks < 1.
  explicit BinaryTree(int ranks);
};

}  // namespace epochcast
