// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <string>
#include <vector>

namespace epochcast::real {

/// A member of a state_dict.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;  ///< on the CPU, of the type in which it was saved
};

/// The content of a file of weights.
struct StateDict {
  std::vector<NamedTensor> tensors;  ///< in the file's order
  std::string checksum;              ///< of the file's content
};

/// Reads what PyTorch (from 1.6 on) writes with torch.save(model.state_dict(), FILE): a zip archive
/// with a pickled dictionary of tensors in data.pkl and their numbers in data/0, data/1, ... From
/// C++, torch::pickle_save() of a c10::Dict<std::string, at::Tensor> writes the same.
///
/// torch::pickle_load() would not do: it takes an OrderedDict, which state_dict() returns, for a
/// tensor's backward hooks, and drops it; nor does it detect damaged numbers. Throws a UserError
/// with advice if the file is damaged or holds something else.
[[nodiscard]] StateDict read_state_dict(const std::filesystem::path& file);

}  // namespace epochcast::real
