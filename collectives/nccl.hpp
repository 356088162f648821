// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/fabric.hpp"

namespace epochcast {

/// The schedule that NCCL takes for this size; see nccl_decision.hpp.
///
/// Throws std::invalid_argument when `node_of_rank` is empty.
[[nodiscard]] std::unique_ptr<Schedule> make_nccl_all_reduce(const std::vector<int>& node_of_rank,
                                                             const NodeLinks& links,
                                                             std::int64_t bytes);

/// nccl_half_transport() of these ranks. Their schedules are those of ring reduce-scatters and
/// all-gathers.
[[nodiscard]] MessageTransport nccl_half_transport(const std::vector<int>& node_of_rank,
                                                   const NodeLinks& links,
                                                   std::int64_t bytes);

}  // namespace epochcast
