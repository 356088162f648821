// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/tensors/tensor.hpp"

namespace epochcast {

/// The header of a NumPy file.
struct NpyHeader {
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> shape;
  std::size_t bytes = 0;  ///< of the header: where the numbers begin
};

/// The reason why bytes are no readable array, "is ..." or "has ...", and a remedy.
class NpyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The header of an array of numbers as numpy.save() writes it: format versions 1.0 to 3.0 of
/// NEP 1 (numpy.lib.format), row-major and little-endian. Throws an NpyError for others: arrays of
/// objects, which are Python pickles, among them.
[[nodiscard]] NpyHeader read_npy_header(std::string_view bytes);

/// The array in the file, mapped. Throws a UserError that names the file.
[[nodiscard]] Tensor open_npy(const std::filesystem::path& file);

}  // namespace epochcast
