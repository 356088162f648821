// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/own_data.hpp"

#include "core/tensors/tensor_folder.hpp"
#include "core/tensors/token_files.hpp"

namespace epochcast {

bool is_own_data(const std::filesystem::path& folder) {
  return has_tensors(folder) || has_token_files(folder);
}

OwnData open_own_data(const std::filesystem::path& folder, std::optional<std::int64_t> sequence) {
  return has_tensors(folder) ? open_tensor_folder(folder) : open_token_files(folder, sequence);
}

}  // namespace epochcast
