// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/schedule.hpp"
#include "collectives/tree.hpp"

namespace epochcast {

/// Reduce the whole payload up one tree, then broadcast it down another.
///
/// A rank receives from all children in one round, and sends to all children in one round. When the
/// trees have different roots, the reduced payload is sent from one root to the other in between.
class ReduceBroadcast : public Schedule {
 public:
  /// Both trees must span `ranks` ranks. Throws std::invalid_argument when ranks < 1.
  ReduceBroadcast(int ranks, std::unique_ptr<Tree> up, std::unique_ptr<Tree> down);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return 1; }
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  int ranks_;
  std::unique_ptr<Tree> up_;
  std::unique_ptr<Tree> down_;
};

}  // namespace epochcast
