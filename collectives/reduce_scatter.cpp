// SPDX-License-Identifier: Apache-2.0
#include "collectives/reduce_scatter.hpp"

namespace epochcast {

Round RingReduceScatter::round(int rank, std::int64_t index) const {
  const int sent = at_distance(rank, -1 - index);
  Round round;
  add(round, ActionKind::send, at_distance(rank, 1), sent);
  add(round, ActionKind::receive_add, at_distance(rank, -1), at_distance(sent, -1));
  return round;
}

std::vector<RepeatedRounds> RingReduceScatter::repeated() const {
  if (ranks() == 1 || !parts().are_equal()) return {};
  return {{.begin = 0, .end = ranks() - 1, .period = 1}};
}

Round reversed(const Round& round) {
  Round result;
  for (const Action& action : round) {
    if (action.kind != ActionKind::send)
      result.push_back({ActionKind::send, action.peer, action.block});
  }
  for (const Action& action : round) {
    if (action.kind == ActionKind::send)
      result.push_back({ActionKind::receive_add, action.peer, action.block});
  }
  return result;
}

}  // namespace epochcast
