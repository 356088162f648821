// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_input.hpp"

namespace epochcast {

inline constexpr std::int64_t kMostRanks = 1 << 24;  ///< of a job, in profiles

/// What an event's `args` say about a collective.
struct CollectiveArguments {
  std::string name;        ///< "allreduce", ...; "" when not told
  std::string group;       ///< name of the process group; "" when not told
  std::vector<int> ranks;  ///< of the process group; empty when not told in full
  int group_size = 0;      ///< 0: not told
  std::int64_t bytes = 0;  ///< 0: not told
};

/// Reads LibTorch 2's "Collective name", "In msg nelems", "dtype", "Group size", "Process Group
/// Name" and "Process Group Ranks", or else the first of "Input Dims" and "Input type", which
/// LibTorch 1 writes with record_shapes. Problems are collected in `args`.
[[nodiscard]] CollectiveArguments read_collective(JsonInput args);

/// Whether it is an all-reduce of dense tensors: "allreduce", "all_reduce", "allreduce_coalesced".
[[nodiscard]] bool is_all_reduce(std::string_view collective);

}  // namespace epochcast
