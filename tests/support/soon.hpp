// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace epochcast::tests {

/// How long tests wait for an event that must come: far longer than a busy machine needs.
inline constexpr std::chrono::seconds kPatience{120};

/// Waits until it is so; false when it is not after that time.
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
