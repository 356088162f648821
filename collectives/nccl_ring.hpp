// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "collectives/ranks_by_node.hpp"
#include "collectives/ring.hpp"

namespace epochcast {

/// The Ring through the ranks node by node, whatever their order, with NCCL's transport.
class NcclRing : public Schedule {
 public:
  /// Throws std::invalid_argument when `node_of_rank` is empty.
  explicit NcclRing(const std::vector<int>& node_of_rank, const MessageTransport& transport = {})
      : by_node_(node_of_rank), ring_(by_node_.ranks()), transport_(transport) {}

  [[nodiscard]] int ranks() const override { return ring_.ranks(); }
  [[nodiscard]] std::int64_t divisions() const override { return ring_.divisions(); }
  [[nodiscard]] std::int64_t rounds(int rank) const override { return ring_.rounds(rank); }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override {
    Round round = ring_.round(by_node_.position_of(rank), index);
    for (Action& action : round) action.peer = by_node_.at(action.peer);
    return round;
  }
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override { return ring_.repeated(); }
  [[nodiscard]] std::optional<MessageTransport> transport() const override { return transport_; }

 private:
  RanksByNode by_node_;
  Ring ring_;
  MessageTransport transport_;
};

}  // namespace epochcast
