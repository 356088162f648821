// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace epochcast::tests {

/// The longest wait of tests for a certain event: far longer than needed under load.
inline constexpr std::chrono::seconds kPatience{120};

/// Waits for the condition; false if it does not hold in that time.
inline bool soon(const std::function<bool()>& is_so,
                 std::chrono::steady_clock::duration patience = kPatience) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + patience; !is_so();
       std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    if (Clock::now() > end) return false;
  }
  return true;
}

}  // namespace epochcast::tests
