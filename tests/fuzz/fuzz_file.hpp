// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/tensors/tensor.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace epochcast::fuzz {

/// An input as a file, for loaders that map it: in memory, where the machine has such a folder.
class InputFile {
 public:
  InputFile(const std::uint8_t* data, std::size_t size, const std::string& name) {
    namespace fs = std::filesystem;
    const fs::path memory = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    const fs::path folder = memory / ("epochcast-fuzz-" + std::to_string(getpid()));
    fs::create_directories(folder);
    path_ = folder / name;
    std::ofstream stream(path_, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    require(static_cast<bool>(stream.flush()));
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_.parent_path(), ignored);  // after the last file
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Reads every number; integers are in the range of the tensor.
inline void read_all(const Tensor& tensor) {
  require(tensor.elements() == Tensor::elements_of(tensor.shape()));
  std::vector<float> numbers(static_cast<std::size_t>(tensor.elements()));
  tensor.read(0, numbers);
  if (is_floating(tensor.type())) return;
  const Tensor::Range range = tensor.range();
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    require(tensor.integer(i) >= range.least && tensor.integer(i) <= range.greatest);
}

}  // namespace epochcast::fuzz
