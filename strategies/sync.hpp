// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "strategies/strategy.hpp"

namespace epochcast {

/// Every worker: the gradient of its batch, the mean over all workers, a step.
void run_sync(Worker& worker);

}  // namespace epochcast
