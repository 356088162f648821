// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "core/learner.hpp"

namespace epochcast {

/// The counts of a range of a bucket's numbers that belong to one tensor each, in order. Numbers
/// beyond the tensors are one more; an empty range has one of 0.
[[nodiscard]] inline std::vector<std::int64_t> tensor_blocks(const TensorShapes& tensors,
                                                             std::int64_t begin,
                                                             std::int64_t end) {
  std::vector<std::int64_t> blocks;
  std::int64_t tensor_begin = 0;
  const auto add = [&](std::int64_t tensor_end) {
    const std::int64_t count = std::min(end, tensor_end) - std::max(begin, tensor_begin);
    if (count > 0) blocks.push_back(count);
    tensor_begin = tensor_end;
  };
  for (const std::vector<std::int64_t>& shape : tensors)
    add(tensor_begin +
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
  if (tensor_begin < end) add(end);
  if (blocks.empty()) blocks.push_back(0);
  return blocks;
}

/// Calls code(values, bytes) for each block, whose code has so many bytes.
template <typename Value, typename Byte, typename Code>
void for_each_block(std::span<const std::int64_t> blocks,
                    std::int64_t (*bytes_of)(std::int64_t count),
                    std::span<Value> values,
                    std::span<Byte> bytes,
                    const Code& code) {
  std::size_t value = 0;
  std::size_t byte = 0;
  for (const std::int64_t count : blocks) {
    const auto size = static_cast<std::size_t>(bytes_of(count));
    code(values.subspan(value, static_cast<std::size_t>(count)), bytes.subspan(byte, size));
    value += static_cast<std::size_t>(count);
    byte += size;
  }
}

}  // namespace epochcast
