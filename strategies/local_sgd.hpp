// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "strategies/strategy.hpp"

namespace epochcast {

/// Local SGD, for strategies that make a step after its averages, too.
void run_local_sgd(Worker& worker);

}  // namespace epochcast
