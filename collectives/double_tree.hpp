// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collectives/tree.hpp"

namespace epochcast {

/// Two complementary binary trees over members 0..size-1, numbered 0 and 1.
///
/// Sanders, Speck and Träff, Parallel Computing 35(12), 2009; the trees are those of NCCL 2.4. In
/// the first, member 0 is the root with one child, odd members are leaves, and a member's height is
/// its number of trailing zero bits; the second is the first one mirrored (even size) or shifted by
/// one (odd size). So an inner node of one is a leaf of the other; the one exception is member 0
/// when the size is odd.
class DoubleTree {
 public:
  explicit DoubleTree(int size);

  /// Of both trees: ceil(log2 size).
  [[nodiscard]] int height() const { return height_; }
  /// -1 at the root.
  [[nodiscard]] int parent(int tree, int member) const;
  [[nodiscard]] Ranks children(int tree, int member) const;
  /// Steps from the farthest leaf below a member, rounded up to those of a full tree.
  [[nodiscard]] int height_of(int tree, int member) const;
  /// Steps from the root.
  [[nodiscard]] int depth_of(int tree, int member) const;

 private:
  [[nodiscard]] int position_of(int tree, int member) const;
  [[nodiscard]] int member_at(int tree, int position) const;

  int size_;
  int height_;
};

}  // namespace epochcast
