// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_input.hpp"

namespace epochcast {

inline constexpr std::int64_t kMostRanks = 1 << 24;  ///< of a job, in profiles

/// The arguments of a collective in an event's `args`.
struct CollectiveArguments {
  std::string name;        ///< "allreduce", ...; "" if unknown
  std::string group;       ///< name of the process group; "" if unknown
  std::vector<int> ranks;  ///< of the process group; empty if not complete
  int group_size = 0;      ///< 0: unknown
  std::int64_t bytes = 0;  ///< 0: unknown
};

/// Reads LibTorch 2's "Collective name", "In msg nelems", "dtype", "Group size", "Process Group
/// Name" and "Process Group Ranks", or else the first of "Input Dims" and "Input type", which
/// LibTorch 1 writes with record_shapes. Problems are collected in `args`.
[[nodiscard]] CollectiveArguments read_collective(JsonInput args);

/// Whether it is an all-reduce of dense tensors: "allreduce", "all_reduce", "allreduce_coalesced".
[[nodiscard]] bool is_all_reduce(std::string_view collective);

}  // namespace epochcast
