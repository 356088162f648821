// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "strategies/strategy.hpp"

namespace epochcast {

/// Iterations of --overlap dear: every worker's gradients, Σ weight_q · gradient_q over `among`, a
/// step. The last one has no forward pass to hide its all-gathers behind.
void train_dear(Worker& worker,
                std::int64_t iterations,
                std::int64_t batch,
                double weight,
                const Communicator& among);

}  // namespace epochcast
