// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace epochcast {

/// The kind of a worker's action.
enum class RecordedKind {
  compute,
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  barrier,
  send,
  receive
};

/// An action of a worker, and its dependencies.
struct RecordedAction {
  RecordedKind kind = RecordedKind::compute;
  std::string name;
  double start_s = 0;    ///< on the worker's clock
  double seconds = 0;    ///< compute: duration; blocking collectives: until they return; else 0
  double bytes = 0;      ///< of this worker's payload
  int group = 0;         ///< collectives: index in Recording::groups
  int peer = -1;         ///< broadcast: the root; send and receive: the other side
  std::int64_t tag = 0;  ///< send and receive: number of the message between the pair
  /// Actions of the same worker, by index, ascending, all before this one.
  std::vector<std::uint32_t> after;
};

/// The actions of a job's workers; filled by RecordingFabric.
struct Recording {
  std::vector<std::vector<RecordedAction>> by_rank;
  std::vector<std::vector<int>> groups;  ///< communicators; the first one has all ranks
  std::size_t actions = 0;               ///< of all workers
  std::size_t most_actions = 4'000'000;  ///< limit of memory
};

/// Sets the bytes of receives to those sent: receivers only know the size of their buffer.
void match_messages(Recording& recording);

}  // namespace epochcast
