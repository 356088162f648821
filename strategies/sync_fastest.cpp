// SPDX-License-Identifier: Apache-2.0
// Synchronous SGD on the fastest devices only: the baseline for the gain of slow devices (arXiv
// 2508.08540).
#include "strategies/sync.hpp"

namespace epochcast {

Strategy sync_fastest_strategy() {
  return {.name = "sync-fastest",
          .summary = "sync among the fastest device class alone",
          .source = "arXiv 2508.08540",
          .participants = Participants::fastest_workers,
          .steps_together = true,
          .run = run_sync};
}

}  // namespace epochcast
