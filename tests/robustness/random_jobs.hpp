// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tests/sim/jobs.hpp"

namespace epochcast::tests {

/// A job and a strategy from a seed: up to 6 workers, any strategy, all-reduce, overlap, partition,
/// sampling, batch, number of epochs and steps; costs are round numbers in half of the cases, since
/// ties make batches depend on rounding; no noise. Small enough for full simulation. Some cannot
/// run: their strategy refuses a setting.
[[nodiscard]] Run small_run(std::uint64_t seed);

/// The job with noise: every size's samples follow a Pareto distribution whose mean is finite and
/// whose variance is not, from the given cost up; epochs are 40 times as long.
[[nodiscard]] Job with_heavy_tails(Job job, std::uint64_t seed);

}  // namespace epochcast::tests
