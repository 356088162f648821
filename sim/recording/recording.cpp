// SPDX-License-Identifier: Apache-2.0
#include "sim/recording/recording.hpp"

#include <map>
#include <tuple>

namespace epochcast {

void match_messages(Recording& recording) {
  using Message = std::tuple<std::size_t, std::size_t, std::int64_t>;  // from, to, which
  std::map<Message, double> sent_bytes;
  for (std::size_t rank = 0; rank < recording.by_rank.size(); ++rank) {
    for (const RecordedAction& action : recording.by_rank[rank]) {
      if (action.kind == RecordedKind::send)
        sent_bytes[{rank, static_cast<std::size_t>(action.peer), action.tag}] = action.bytes;
    }
  }
  for (std::size_t rank = 0; rank < recording.by_rank.size(); ++rank) {
    for (RecordedAction& action : recording.by_rank[rank]) {
      if (action.kind != RecordedKind::receive) continue;
      const auto sent = sent_bytes.find({static_cast<std::size_t>(action.peer), rank, action.tag});
      if (sent != sent_bytes.end()) action.bytes = sent->second;
    }
  }
}

}  // namespace epochcast
