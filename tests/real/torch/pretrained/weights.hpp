// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <string>

namespace epochcast::real {

using TensorDict = c10::Dict<std::string, torch::Tensor>;

/// A temporary folder.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path path_;
};

/// A file of tests/real/torch/pretrained/data, made by make_weights.py with PyTorch.
[[nodiscard]] std::filesystem::path made_file(const std::string& name);

/// Parameters and buffers of a module, by name, as copies.
[[nodiscard]] TensorDict tensors_of(const torch::nn::Module& module);
/// Writes them as torch.save() would; returns `file`.
std::filesystem::path write_weights(const std::filesystem::path& file, const TensorDict& tensors);

}  // namespace epochcast::real
