// SPDX-License-Identifier: Apache-2.0
#include "collectives/push_pull.hpp"

#include <algorithm>
#include <stdexcept>

namespace epochcast {

PushPull::PushPull(int workers, int servers, std::int64_t partitions)
    : workers_(workers), servers_(servers), partitions_(partitions) {
  if (workers < 1) throw std::invalid_argument("push-pull needs at least one worker");
  if (servers < 1) throw std::invalid_argument("push-pull needs at least one summation server");
  if (partitions < 1) throw std::invalid_argument("push-pull needs at least one partition");
}

std::int64_t PushPull::partitions_for(std::int64_t bytes, std::int64_t partition_bytes) {
  if (partition_bytes < 1) throw std::invalid_argument("a partition needs at least one byte");
  return std::max<std::int64_t>(1, (bytes + partition_bytes - 1) / partition_bytes);
}

std::int64_t PushPull::rounds(int /*rank*/) const {
  return (partitions_ + servers_ - 1) / servers_ + 1;
}

Round PushPull::round(int rank, std::int64_t index) const {
  return rank < workers_ ? worker_round(index) : server_round(rank - workers_, index);
}

std::vector<RepeatedRounds> PushPull::repeated() const {
  const std::int64_t full_rounds = partitions_ / servers_;
  if (full_rounds <= 1) return {};
  return {{.begin = 1, .end = full_rounds, .period = 1}};
}

Round PushPull::worker_round(std::int64_t index) const {
  Round round;
  for (int server = 0; server < servers_; ++server) {
    const std::int64_t pushed = index * servers_ + server;
    if (pushed >= partitions_) break;
    round.push_back({ActionKind::send, workers_ + server, Block{pushed, pushed + 1}});
  }
  for (int server = 0; index > 0 && server < servers_; ++server) {
    const std::int64_t pulled = (index - 1) * servers_ + server;
    if (pulled >= partitions_) break;
    round.push_back({ActionKind::receive, workers_ + server, Block{pulled, pulled + 1}});
  }
  return round;
}

Round PushPull::server_round(int server, std::int64_t index) const {
  Round round;
  const std::int64_t summed = index * servers_ + server;
  const std::int64_t returned = summed - servers_;
  for (int worker = 0; summed < partitions_ && worker < workers_; ++worker) {
    const ActionKind kind = worker == 0 ? ActionKind::receive : ActionKind::receive_add;
    round.push_back({kind, worker, Block{summed, summed + 1}});
  }
  for (int worker = 0; returned >= 0 && returned < partitions_ && worker < workers_; ++worker) {
    round.push_back({ActionKind::send, worker, Block{returned, returned + 1}});
  }
  return round;
}

}  // namespace epochcast
