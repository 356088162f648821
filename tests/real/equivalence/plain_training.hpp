// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/real/equivalence/trial.hpp"

namespace epochcast::tests {

/// Trains small-cnn as in LibTorch's manual: own modules, optimizer and loss, batches loaded sample
/// by sample. `order` has the samples of each epoch. Returns the parameters.
[[nodiscard]] std::vector<float> train_plainly(const Trial& trial,
                                               const std::vector<Samples>& order);

}  // namespace epochcast::tests
