// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::bench {

/// Repeated ring all-reduces among the hosts of a star.
struct RingLoad {
  int hosts = 16;
  int all_reduces = 100;
  double bytes = 100e6;
};

/// Messages per second through Runtime and SimFabric, every message simulated. Uses up this
/// process's engine.
[[nodiscard]] double fabric_messages_per_s(const RingLoad& load);
/// The same transfers from a loop in plain SimGrid, on the same engine configuration and platform.
[[nodiscard]] double bare_messages_per_s(const RingLoad& load);

}  // namespace epochcast::bench
