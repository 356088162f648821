// SPDX-License-Identifier: Apache-2.0
// HetGrad's batches without its weights, the paper's baseline (J. Supercomputing 2022).
#include "strategies/hetgrad.hpp"

namespace epochcast {

Strategy hetgrad_unweighted_strategy() {
  return {.name = "hetgrad-unweighted",
          .summary = "batches by speed, plain mean of gradients (--partition)",
          .source = "HetGrad, J. Supercomputing 2022",
          .divides_by_speed = true,
          .settings = hetgrad_settings(),
          .steps_together = true,
          .run = [](Worker& worker) { run_hetgrad(worker, false); }};
}

}  // namespace epochcast
