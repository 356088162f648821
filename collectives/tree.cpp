// SPDX-License-Identifier: Apache-2.0
#include "collectives/tree.hpp"

#include <bit>
#include <cstdint>

#include "collectives/checks.hpp"

namespace epochcast {

BalancedTree::BalancedTree(int ranks) : ranks_(checked_ranks(ranks)) {}

BalancedTree::Subtree BalancedTree::subtree(int rank) const {
  int parent = -1;
  int first = 0;
  int size = ranks_;
  while (first != rank) {
    const int left = size / 2;
    parent = first;
    if (rank <= first + left) {
      first += 1;
      size = left;
    } else {
      first += 1 + left;
      size -= 1 + left;
    }
  }
  return {parent, size};
}

int BalancedTree::parent(int rank) const { return subtree(rank).parent; }

Ranks BalancedTree::children(int rank) const {
  const int size = subtree(rank).size;
  Ranks children;
  if (size > 1) children.push_back(rank + 1);
  if (size > 2) children.push_back(rank + 1 + size / 2);
  return children;
}

KnomialTree::KnomialTree(int ranks, int radix) : ranks_(checked_ranks(ranks)), radix_(radix) {}

int KnomialTree::parent(int rank) const {
  if (rank == 0) return -1;
  int weight = 1;
  while ((rank / weight) % radix_ == 0) weight *= radix_;
  return rank - ((rank / weight) % radix_) * weight;
}

Ranks KnomialTree::children(int rank) const {
  Ranks children;
  std::int64_t weight = 1;
  while (weight < ranks_ && (rank / weight) % radix_ == 0) {
    for (int digit = 1; digit < radix_ && rank + digit * weight < ranks_; ++digit) {
      children.push_back(static_cast<int>(rank + digit * weight));
    }
    weight *= radix_;
  }
  return children;
}

LevelBinaryTree::LevelBinaryTree(int ranks) : ranks_(checked_ranks(ranks)) {}

int LevelBinaryTree::parent(int rank) const {
  if (rank == 0) return -1;
  const int level_size = static_cast<int>(std::bit_floor(static_cast<unsigned>(rank) + 1));
  const int candidate = rank - level_size / 2;
  return candidate < level_size - 1 ? candidate : candidate - level_size / 2;
}

Ranks LevelBinaryTree::children(int rank) const {
  const std::int64_t level_size = std::bit_floor(static_cast<unsigned>(rank) + 1);
  Ranks children;
  for (const std::int64_t child : {rank + level_size, rank + 2 * level_size}) {
    if (child < ranks_) children.push_back(static_cast<int>(child));
  }
  return children;
}

InOrderBinaryTree::InOrderBinaryTree(int ranks) : ranks_(checked_ranks(ranks)) {}

InOrderBinaryTree::Subtree InOrderBinaryTree::subtree(int rank) const {
  int parent = -1;
  int begin = 0;
  int size = ranks_;
  while (begin + size - 1 != rank) {
    parent = begin + size - 1;
    const int lower = size / 2;
    if (rank < begin + lower) {
      size = lower;
    } else {
      begin += lower;
      size -= lower + 1;
    }
  }
  return {parent, begin, size};
}

int InOrderBinaryTree::parent(int rank) const { return subtree(rank).parent; }

Ranks InOrderBinaryTree::children(int rank) const {
  const Subtree place = subtree(rank);
  Ranks children;
  if (place.size > 2) children.push_back(rank - 1);
  if (place.size > 1) children.push_back(place.begin + place.size / 2 - 1);
  return children;
}

StarTree::StarTree(int ranks) : ranks_(checked_ranks(ranks)) {}

int StarTree::parent(int rank) const { return rank == 0 ? -1 : 0; }

Ranks StarTree::children(int rank) const {
  Ranks children;
  if (rank != 0) return children;
  for (int child = 1; child < ranks_; ++child) children.push_back(child);
  return children;
}

}  // namespace epochcast
