// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/script.h>

#include <string>

namespace epochcast::real {

/// The TorchScript model in a file, on the CPU. Loading it runs what is in it. What a trace has
/// written down as it is in training (dropout, normalisation) follows the model's train() and
/// eval() from then on.
///
/// Throws a UserError, with LibTorch's own reason and what to do, when the file holds something
/// else: Python objects, weights, programs of torch.export, operations that this LibTorch does not
/// know; or when the model has no forward(), is frozen, or was traced as it is in evaluation.
[[nodiscard]] torch::jit::Module load_script(const std::string& file);

}  // namespace epochcast::real
