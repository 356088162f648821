// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/tensors/own_samples.hpp"

namespace epochcast {

/// Whether the folder, or `train` in it, holds inputs*.npy or inputs*.pt.
[[nodiscard]] bool has_tensors(const std::filesystem::path& folder);

/// Tensors `inputs` and `targets` that NumPy or PyTorch has saved, in `train` and in `val` (or
/// `test` where there is no `val`); or without these folders: then the last tenth of the samples,
/// one at least, is for tests. A tensor may be cut into files, inputs-000.npy, inputs-001.npy, ...:
/// each with targets of the same ending, in the order of their names.
///
/// The first dimension counts samples. Inputs [samples, tokens] of integers other than uint8 are
/// tokens; all others are numbers, and stay as they are. Targets [samples] or [samples, 1] of
/// integers are classes, those of tokens' own shape are tokens, and floating-point ones are values.
/// The number of classes is the largest label (or token, of inputs and targets) plus one.
///
/// Throws a UserError with all files that are wrong: other shapes or types than the first one's, no
/// inputs or targets of the same name, negative labels, damage.
[[nodiscard]] OwnData open_tensor_folder(const std::filesystem::path& folder);

}  // namespace epochcast
