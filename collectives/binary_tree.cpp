// SPDX-License-Identifier: Apache-2.0
#include "collectives/binary_tree.hpp"

#include <memory>

namespace epochcast {

BinaryTree::BinaryTree(int ranks)
    : ReduceBroadcast(
          ranks, std::make_unique<BalancedTree>(ranks), std::make_unique<BalancedTree>(ranks)) {}

}  // namespace epochcast
