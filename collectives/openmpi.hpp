// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/parts.hpp"

namespace epochcast {

/// The schedule that Open MPI 4.1 uses by default for this size; see openmpi_decision.hpp.
///
/// Throws std::invalid_argument when ranks < 1.
[[nodiscard]] std::unique_ptr<Schedule> make_openmpi_all_reduce(int ranks, std::int64_t bytes);

/// The schedule of MPI_Reduce_scatter with these parts of `bytes` in all.
///
/// Recursive halving and butterfly are the form `recursive`, which has their rounds and bytes if
/// the ranks are a power of two. So is the non-overlapping one, chosen below 1 KiB.
[[nodiscard]] std::unique_ptr<Schedule> make_openmpi_reduce_scatter(const Parts& parts,
                                                                    std::int64_t bytes);

/// The schedule of MPI_Allgatherv with these parts of `bytes` in all.
///
/// Bruck's algorithm stands in for a gather and a broadcast, chosen for parts below 1 KiB.
[[nodiscard]] std::unique_ptr<Schedule> make_openmpi_all_gather(const Parts& parts,
                                                                std::int64_t bytes);

}  // namespace epochcast
