// SPDX-License-Identifier: Apache-2.0
#include "tests/real/torch/pretrained/weights.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace epochcast::real {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "epochcast-weights-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + " cannot be created");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path_ / name, std::ios::binary) << bytes;
}

fs::path made_file(const std::string& name) {
  return fs::path(EPOCHCAST_SOURCE_DIR) / "tests/real/torch/pretrained/data" / name;
}

TensorDict tensors_of(const torch::nn::Module& module) {
  TensorDict tensors;
  for (const auto& each : module.named_parameters())
    tensors.insert(each.key(), each.value().detach().clone());
  for (const auto& each : module.named_buffers()) tensors.insert(each.key(), each.value().clone());
  return tensors;
}

fs::path write_weights(const fs::path& file, const TensorDict& tensors) {
  const std::vector<char> bytes = torch::pickle_save(tensors);
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file;
}

}  // namespace epochcast::real
