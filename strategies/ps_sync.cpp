// SPDX-License-Identifier: Apache-2.0
// Synchronous SGD through parameter servers: one update with the mean of all workers' gradients.
#include "strategies/parameter_server.hpp"

namespace epochcast {
namespace {

void run_ps_sync(Worker& worker) { run_parameter_server(worker, {.adds_rounds = true}); }

}  // namespace

Strategy ps_sync_strategy() {
  return {.name = "ps-sync",
          .summary = "servers apply the mean of all workers' gradients",
          .source = "baseline of Ho et al., NIPS 2013",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .check = check_parameter_server,
          .run = run_ps_sync};
}

}  // namespace epochcast
