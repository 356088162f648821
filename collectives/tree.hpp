// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/small_vector.hpp>

namespace epochcast {

using Ranks = boost::container::small_vector<int, 4>;

/// A rooted tree over ranks 0..P-1, computed on demand in O(log P) per rank (a star's root: O(P)).
///
/// Contract: c is among children(p) exactly when parent(c) == p.
class Tree {
 public:
  virtual ~Tree() = default;

  [[nodiscard]] virtual int root() const { return 0; }
  /// The parent, or -1 at the root.
  [[nodiscard]] virtual int parent(int rank) const = 0;
  [[nodiscard]] virtual Ranks children(int rank) const = 0;
};

/// Binary tree whose subtrees are ranges of consecutive ranks, halved as evenly as possible.
///
/// A range's first rank is its root; the rest is split into two ranges, the first one larger by at
/// most one. Its depth is floor(log2 P), and with ranks ordered by node its lower levels stay
/// within nodes.
class BalancedTree : public Tree {
 public:
  explicit BalancedTree(int ranks);
  [[nodiscard]] int parent(int rank) const override;
  [[nodiscard]] Ranks children(int rank) const override;

 private:
  struct Subtree {
    int parent;
    int size;
  };
  [[nodiscard]] Subtree subtree(int rank) const;
  int ranks_;
};

/// k-nomial tree: the parent is the rank with its lowest non-zero digit in base `radix` cleared.
///
/// Radix 2 is the binomial tree of Open MPI's reduce, radix 4 the tree of its k-nomial broadcast.
class KnomialTree : public Tree {
 public:
  KnomialTree(int ranks, int radix);
  [[nodiscard]] int parent(int rank) const override;
  [[nodiscard]] Ranks children(int rank) const override;

 private:
  int ranks_;
  int radix_;
};

/// Open MPI's binary tree: rank r on level l has the children r + 2^l and r + 2^(l+1).
class LevelBinaryTree : public Tree {
 public:
  explicit LevelBinaryTree(int ranks);
  [[nodiscard]] int parent(int rank) const override;
  [[nodiscard]] Ranks children(int rank) const override;

 private:
  int ranks_;
};

/// Open MPI's in-order binary tree: the last rank of a range is its root.
///
/// Of n ranks, the first n/2 form one subtree, the others except the root the second one.
class InOrderBinaryTree : public Tree {
 public:
  explicit InOrderBinaryTree(int ranks);
  [[nodiscard]] int root() const override { return ranks_ - 1; }
  [[nodiscard]] int parent(int rank) const override;
  [[nodiscard]] Ranks children(int rank) const override;

 private:
  struct Subtree {
    int parent;
    int begin;
    int size;
  };
  [[nodiscard]] Subtree subtree(int rank) const;
  int ranks_;
};

/// All other ranks are children of rank 0.
class StarTree : public Tree {
 public:
  explicit StarTree(int ranks);
  [[nodiscard]] int parent(int rank) const override;
  [[nodiscard]] Ranks children(int rank) const override;

 private:
  int ranks_;
};

}  // namespace epochcast
