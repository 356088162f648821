// SPDX-License-Identifier: Apache-2.0
#include "collectives/reduce_broadcast.hpp"

#include <utility>

#include "collectives/checks.hpp"

namespace epochcast {
namespace {

constexpr Block kWhole{0, 1};

Round with_all(const Ranks& peers, ActionKind kind) {
  Round round;
  for (const int peer : peers) round.push_back({kind, peer, kWhole});
  return round;
}

}  // namespace

ReduceBroadcast::ReduceBroadcast(int ranks, std::unique_ptr<Tree> up, std::unique_ptr<Tree> down)
    : ranks_(checked_ranks(ranks)), up_(std::move(up)), down_(std::move(down)) {}

std::int64_t ReduceBroadcast::rounds(int /*rank*/) const { return ranks_ == 1 ? 0 : 5; }

Round ReduceBroadcast::round(int rank, std::int64_t index) const {
  const int reduced_at = up_->root();
  const int sent_from = down_->root();
  switch (index) {
    case 0:
      return with_all(up_->children(rank), ActionKind::receive_add);
    case 1:
      if (rank == reduced_at) return {};
      return {Action{ActionKind::send, up_->parent(rank), kWhole}};
    case 2:
      if (reduced_at == sent_from) return {};
      if (rank == reduced_at) return {Action{ActionKind::send, sent_from, kWhole}};
      if (rank == sent_from) return {Action{ActionKind::receive, reduced_at, kWhole}};
      return {};
    case 3:
      if (rank == sent_from) return {};
      return {Action{ActionKind::receive, down_->parent(rank), kWhole}};
    default:
      return with_all(down_->children(rank), ActionKind::send);
  }
}

}  // namespace epochcast
