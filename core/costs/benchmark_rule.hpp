// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace epochcast {

/// Whether a worker's benchmark (Learner::benchmark), of which `batches` took `seconds`, has had
/// enough: ten batches and a second, since busy machines change from one batch to the next; three
/// where they take twenty seconds; a thousand, however little they take.
[[nodiscard]] constexpr bool is_benchmark_over(std::int64_t batches, double seconds) {
  return (batches >= 10 && seconds >= 1) || (batches >= 3 && seconds >= 20) || batches >= 1000;
}

}  // namespace epochcast
