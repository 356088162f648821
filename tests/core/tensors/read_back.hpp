// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensors/own_samples.hpp"
#include "core/tensors/tensor.hpp"

namespace epochcast::tests {

using Floats = std::vector<float>;
using Shape = std::vector<std::int64_t>;

/// A file written by PyTorch or NumPy.
inline std::string real_file(const std::string& name) {
  return EPOCHCAST_SOURCE_DIR "/tests/core/tensors/data/" + name;
}

inline Floats all_of(const Tensor& tensor) {
  Floats numbers(static_cast<std::size_t>(tensor.elements()));
  tensor.read(0, numbers);
  return numbers;
}

/// The inputs of a sample, and its targets.
inline Floats inputs_of(const OwnSamples& samples, std::int64_t index, std::size_t size) {
  Floats inputs(size);
  samples.read_inputs(index, inputs);
  return inputs;
}

inline Floats targets_of(const OwnSamples& samples, std::int64_t index, std::size_t size) {
  Floats targets(size);
  samples.read_targets(index, targets);
  return targets;
}

}  // namespace epochcast::tests
