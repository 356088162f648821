// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/tensors/own_samples.hpp"

namespace epochcast {

/// The layouts of such folders, as text.
inline constexpr const char* kOwnDataLayouts =
    "tensors: inputs.npy, targets.npy (or .pt; in train and val, or not); or tokens: train.bin, "
    "val.bin";

/// Whether the folder holds samples in files of the user's own: tensors (tensor_folder.hpp) or rows
/// of tokens (token_files.hpp).
[[nodiscard]] bool is_own_data(const std::filesystem::path& folder);

/// The samples in such a folder; `sequence`: for rows of tokens. Throws a UserError that names the
/// files that are wrong.
[[nodiscard]] OwnData open_own_data(const std::filesystem::path& folder,
                                    std::optional<std::int64_t> sequence);

}  // namespace epochcast
