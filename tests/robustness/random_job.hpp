// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/robustness/random_platform.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {

/// A short job on a random platform: of every ten times nine consecutive seeds, each strategy runs
/// with each all-reduce once, if the platform has the required devices.
[[nodiscard]] Run random_run(std::uint64_t seed, const PlatformRange& range = {});

/// The same job on another platform.
[[nodiscard]] Run on_platform(Run run, const Platform& platform);

}  // namespace epochcast::tests
