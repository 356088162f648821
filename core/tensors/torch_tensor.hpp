// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/tensors/tensor.hpp"

namespace epochcast {

/// The tensor in a file that PyTorch (from 1.6 on) has written by torch.save(tensor, FILE), mapped.
///
/// Runs nothing of the file: its pickle is read by read_pickled_tensor(). Records of up to 256 MiB
/// are compared with their checksums. Throws a UserError that names the file and says what to type
/// when it is damaged or holds anything but a tensor.
[[nodiscard]] Tensor open_torch_tensor(const std::filesystem::path& file);

}  // namespace epochcast
