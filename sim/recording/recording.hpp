// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace epochcast {

/// What a worker does.
enum class RecordedKind { compute, all_reduce, broadcast, all_gather, barrier, send, receive };

/// Something that a worker did, and what it had to wait for.
struct RecordedAction {
  RecordedKind kind = RecordedKind::compute;
  std::string name;
  double start_s = 0;    ///< on the worker's clock
  double seconds = 0;    ///< compute: how long; blocking collectives: until they let go; else 0
  double bytes = 0;      ///< of this worker's payload
  int group = 0;         ///< collectives: index in Recording::groups
  int peer = -1;         ///< broadcast: the root; send and receive: the other side
  std::int64_t tag = 0;  ///< send and receive: which message of the pair it is
  /// Actions of the same worker, by index, ascending, all before this one.
  std::vector<std::uint32_t> after;
};

/// What the workers of a job did; filled by RecordingFabric.
struct Recording {
  std::vector<std::vector<RecordedAction>> by_rank;
  std::vector<std::vector<int>> groups;  ///< ranks that have exchanged, the first being all of them
  std::size_t actions = 0;               ///< of all workers
  std::size_t most_actions = 4'000'000;  ///< more is too much to keep
};

/// Gives receives the bytes of what was sent: their own side only knows how much there is room for.
void match_messages(Recording& recording);

}  // namespace epochcast
