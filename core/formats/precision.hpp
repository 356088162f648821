// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "base/json/json_input.hpp"

namespace epochcast {

/// The number format of matrix products and convolutions. Parameters and gradients are float32 with
/// all of them, as with PyTorch's automatic mixed precision. tf32 on a device without it is
/// float32, as in PyTorch.
enum class Precision { float32, tf32, float16, bfloat16 };

inline constexpr std::array<std::pair<std::string_view, Precision>, 4> kPrecisions = {
    {{"float32", Precision::float32},
     {"tf32", Precision::tf32},
     {"float16", Precision::float16},
     {"bfloat16", Precision::bfloat16}}};

/// Bytes of a value that forward keeps for backward, with autocast.
[[nodiscard]] constexpr int activation_size(Precision precision) {
  return precision == Precision::float16 || precision == Precision::bfloat16 ? 2 : 4;
}

/// The kernels of a GPU's batches. `plain`: PyTorch's eager mode with contiguous tensors. `tuned`:
/// channels-last tensors and fused kernels.
enum class Kernels { plain, tuned };

inline constexpr std::array<std::pair<std::string_view, Kernels>, 2> kKernels = {
    {{"plain", Kernels::plain}, {"tuned", Kernels::tuned}}};

/// The value of that name; if there is none, notes a problem and returns the first.
[[nodiscard]] Precision read_precision(const JsonInput& input);
[[nodiscard]] Kernels read_kernels(const JsonInput& input);

}  // namespace epochcast
