// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace epochcast::tests {

/// The seeds of one attack on the program: a short run in `make test`, the same generators with
/// other seeds and more cases in `make fuzz`.
///
/// A case depends on its seed alone; a failing test shows the seed, and EPOCHCAST_FUZZ_SEED with
/// EPOCHCAST_FUZZ_FACTOR=0 repeats just that one.
class Campaign {
 public:
  /// `short_cases`: number of cases in `make test`.
  explicit Campaign(std::uint64_t short_cases)
      : first_(number("EPOCHCAST_FUZZ_SEED", 1)),
        count_(short_cases * number("EPOCHCAST_FUZZ_FACTOR", 1)) {
    if (count_ == 0) count_ = 1;
  }

  [[nodiscard]] std::uint64_t first_seed() const { return first_; }
  /// One past the last seed.
  [[nodiscard]] std::uint64_t end_seed() const { return first_ + count_; }

 private:
  static std::uint64_t number(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::stoull(text);
  }

  std::uint64_t first_;
  std::uint64_t count_;
};

}  // namespace epochcast::tests
