// SPDX-License-Identifier: Apache-2.0
// What there is to gain from slow devices: synchronous SGD without them (arXiv 2508.08540).
#include "strategies/sync.hpp"

namespace epochcast {

Strategy sync_fastest_strategy() {
  return {.name = "sync-fastest",
          .summary = "sync among the fastest device class alone",
          .source = "arXiv 2508.08540",
          .participants = Participants::fastest_workers,
          .run = run_sync};
}

}  // namespace epochcast
