// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace epochcast::tests {

/// A temporary folder.
class DataFolder {
 public:
  DataFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "epochcast-tensors-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~DataFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The folder's name with a file's: the prefix of errors.
  [[nodiscard]] std::string operator/(const std::string& file) const {
    return (path_ / file).string();
  }
  /// Writes the file, and the folders that it needs; returns its name.
  std::string write(const std::string& file, const std::string& bytes) const {
    const std::filesystem::path place = path_ / file;
    std::filesystem::create_directories(place.parent_path());
    std::ofstream stream(place, std::ios::binary);
    stream << bytes;
    if (!stream.flush()) throw std::runtime_error("cannot write " + place.string());
    return place.string();
  }

 private:
  std::filesystem::path path_;
};

/// The numbers' bytes, in memory order.
template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// A file of NumPy's with this header: magic number, version, length, header.
inline std::string npy_with(const std::string& header, char version = 1) {
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header;
}

/// "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
inline std::string npy_header(const std::string& description, const std::string& shape) {
  return "{'descr': '" + description + "', 'fortran_order': False, 'shape': " + shape + ", }   \n";
}

/// A whole file of NumPy's.
template <typename Number>
std::string npy(const std::string& description,
                const std::string& shape,
                const std::vector<Number>& numbers) {
  return npy_with(npy_header(description, shape)) + bytes_of(numbers);
}

}  // namespace epochcast::tests
