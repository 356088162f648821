// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/tensors/tensor.hpp"

namespace epochcast {

/// The tensor in a file that PyTorch (from 1.6 on) has written by torch.save(tensor, FILE), mapped.
///
/// Runs nothing of the file: its pickle is read by read_pickled_tensor(). Records of up to 256 MiB
/// are compared with their checksums. Throws a UserError, with the file and a command that helps,
/// if it is damaged or holds anything but a tensor.
[[nodiscard]] Tensor open_torch_tensor(const std::filesystem::path& file);

}  // namespace epochcast
