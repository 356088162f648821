// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/files/mapped_file.hpp"

namespace epochcast {

/// The stored type of a tensor's numbers, little-endian.
enum class ElementType {
  boolean,
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64
};

[[nodiscard]] std::string_view to_string(ElementType type);
[[nodiscard]] std::size_t bytes_of(ElementType type);
[[nodiscard]] bool is_floating(ElementType type);

/// Numbers of a file, row-major and without gaps. Calls from several threads are safe.
class Tensor {
 public:
  /// The product of the sizes; more than 2^62 if it is more than that, or if a size is negative.
  [[nodiscard]] static std::int64_t elements_of(std::span<const std::int64_t> shape);

  /// `numbers` are part of `file`, and as many bytes as the shape has elements of the type.
  Tensor(ElementType type,
         std::vector<std::int64_t> shape,
         std::string_view numbers,
         std::shared_ptr<const MappedFile> file);

  [[nodiscard]] ElementType type() const { return type_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  /// Writes the elements from `first` on, as they are: a byte of 200 becomes 200.
  void read(std::int64_t first, std::span<float> numbers) const;
  /// Of integers and truth values: the element.
  [[nodiscard]] std::int64_t integer(std::int64_t index) const;

  struct Range {
    std::int64_t least = 0;
    std::int64_t greatest = 0;
  };
  /// Of integers and truth values: the smallest and the largest one, 0 of an empty tensor. Reads
  /// all of them.
  [[nodiscard]] Range range() const;

 private:
  ElementType type_;
  std::vector<std::int64_t> shape_;
  std::int64_t elements_ = 0;
  std::string_view numbers_;
  std::shared_ptr<const MappedFile> file_;
};

}  // namespace epochcast
