// SPDX-License-Identifier: Apache-2.0
#include "base/process/exact_sleep.hpp"

#include <chrono>

#include "tests/catch.hpp"

namespace epochcast {
namespace {

TEST_CASE("an exact sleep never ends early, even if it is too short for a real sleep",
          "[process]") {
  const double seconds = GENERATE(0.0, 1e-6, 99e-6, 101e-6, 0.003);
  const double spin_s = GENERATE(kSpinOnSharedCore_s, kSpinOnIdleCore_s);
  const auto start = std::chrono::steady_clock::now();
  sleep_exactly(seconds, spin_s);
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::duration<double>(seconds));
}

}  // namespace
}  // namespace epochcast
