// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/script.h>

#include <string>

namespace epochcast::real {

/// The TorchScript model in a file, on the CPU. Loading it runs its code. Operations traced in
/// training mode (dropout, normalisation) then follow the model's train() and eval().
///
/// Throws a UserError, with LibTorch's own reason and advice, when the file holds something else:
/// Python objects, weights, programs of torch.export, operations that this LibTorch lacks; or when
/// the model has no forward(), is frozen, or was traced in evaluation mode.
[[nodiscard]] torch::jit::Module load_script(const std::string& file);

}  // namespace epochcast::real
