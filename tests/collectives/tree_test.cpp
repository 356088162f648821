// SPDX-License-Identifier: Apache-2.0
#include "collectives/tree.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

std::vector<std::unique_ptr<Tree>> every_tree(int ranks) {
  std::vector<std::unique_ptr<Tree>> trees;
  trees.push_back(std::make_unique<BalancedTree>(ranks));
  trees.push_back(std::make_unique<KnomialTree>(ranks, 2));
  trees.push_back(std::make_unique<KnomialTree>(ranks, 4));
  trees.push_back(std::make_unique<LevelBinaryTree>(ranks));
  trees.push_back(std::make_unique<InOrderBinaryTree>(ranks));
  trees.push_back(std::make_unique<StarTree>(ranks));
  return trees;
}

std::vector<int> parents(const Tree& tree, int ranks) {
  std::vector<int> parents;
  for (int rank = 0; rank < ranks; ++rank) parents.push_back(tree.parent(rank));
  return parents;
}

int depth(const Tree& tree, int rank) {
  int depth = 0;
  for (; rank != tree.root(); rank = tree.parent(rank)) ++depth;
  return depth;
}

TEST_CASE("in every tree parents and children agree and every rank leads to the root") {
  for (int ranks = 1; ranks <= 70; ++ranks) {
    for (const auto& tree : every_tree(ranks)) {
      CAPTURE(ranks);
      REQUIRE(tree->parent(tree->root()) == -1);
      int edges = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        REQUIRE(depth(*tree, rank) < ranks);
        for (const int child : tree->children(rank)) {
          REQUIRE(tree->parent(child) == rank);
          ++edges;
        }
      }
      REQUIRE(edges == ranks - 1);
    }
  }
}

TEST_CASE("the balanced, level and in-order trees have at most two children per rank") {
  for (int ranks = 1; ranks <= 70; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      CHECK(BalancedTree(ranks).children(rank).size() <= 2);
      CHECK(LevelBinaryTree(ranks).children(rank).size() <= 2);
      CHECK(InOrderBinaryTree(ranks).children(rank).size() <= 2);
    }
  }
}

TEST_CASE("the balanced tree is floor(log2 P) deep") {
  for (int ranks = 1; ranks <= 70; ++ranks) {
    CAPTURE(ranks);
    const BalancedTree tree(ranks);
    int deepest = 0;

    for (int rank = 0; rank < ranks; ++rank) deepest = std::max(deepest, depth(tree, rank));

    CHECK(deepest == static_cast<int>(std::bit_width(static_cast<unsigned>(ranks))) - 1);
  }
}

TEST_CASE("a balanced tree of 8 ranks splits 7 into 4 and 3") {
  CHECK(parents(BalancedTree(8), 8) == std::vector<int>{-1, 0, 1, 2, 1, 0, 5, 5});
}

// The following are the trees drawn in the comments of coll_base_topo.c, Open MPI v4.1.x.

TEST_CASE("a binomial tree of 8 ranks is Open MPI's in-order binomial tree") {
  CHECK(parents(KnomialTree(8, 2), 8) == std::vector<int>{-1, 0, 0, 2, 0, 4, 4, 6});
}

TEST_CASE("a 4-nomial tree of 10 ranks is Open MPI's") {
  CHECK(parents(KnomialTree(10, 4), 10) == std::vector<int>{-1, 0, 0, 0, 0, 4, 4, 4, 0, 8});
}

TEST_CASE("an in-order binary tree of 9 ranks is Open MPI's") {
  CHECK(parents(InOrderBinaryTree(9), 9) == std::vector<int>{1, 3, 3, 8, 5, 7, 7, 8, -1});
}

TEST_CASE("a level binary tree of 9 ranks alternates between the subtrees") {
  CHECK(parents(LevelBinaryTree(9), 9) == std::vector<int>{-1, 0, 0, 1, 2, 1, 2, 3, 4});
}

}  // namespace
}  // namespace epochcast::tests
