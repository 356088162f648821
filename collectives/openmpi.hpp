// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/schedule.hpp"

namespace epochcast {

/// The schedule that Open MPI 4.1 uses by default for this size; see openmpi_decision.hpp.
///
/// Throws std::invalid_argument when ranks < 1.
[[nodiscard]] std::unique_ptr<Schedule> make_openmpi_all_reduce(int ranks, std::int64_t bytes);

}  // namespace epochcast
