// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tests/sim/jobs.hpp"

namespace epochcast::tests {

/// A job and a strategy made of a seed: up to 6 workers, any strategy, all-reduce, overlap,
/// partition, sampling, batch, number of epochs and steps; costs that are round numbers as often as
/// not, since ties are where batches are decided by rounding; no noise. Small enough to be
/// simulated in full. Not every one can run: some ask for what their strategy refuses.
[[nodiscard]] Run small_run(std::uint64_t seed);

/// The job with noise: every size's samples follow a Pareto distribution whose mean is finite and
/// whose variance is not, from the given cost up; epochs are 40 times as long.
[[nodiscard]] Job with_heavy_tails(Job job, std::uint64_t seed);

}  // namespace epochcast::tests
