// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace epochcast {

/// Whether a worker's benchmark (Learner::benchmark) is over after `batches` batches in `seconds`:
/// after ten batches and one second, after three batches and twenty seconds, or after a thousand
/// batches.
[[nodiscard]] constexpr bool is_benchmark_over(std::int64_t batches, double seconds) {
  return (batches >= 10 && seconds >= 1) || (batches >= 3 && seconds >= 20) || batches >= 1000;
}

}  // namespace epochcast
