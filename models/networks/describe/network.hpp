// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/formats/network_file.hpp"

namespace epochcast::describe {

/// A parameter tensor, named as PyTorch or torchvision names it.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// One step of the forward pass. A `_per_class` figure is multiplied by the number of classes and
/// added to its namesake.
struct Layer {
  std::string name;
  std::vector<Tensor> tensors;
  std::int64_t forward_flop = 0;
  std::int64_t activation_bytes = 0;
  std::int64_t forward_flop_per_class = 0;
  std::int64_t activation_bytes_per_class = 0;
};

/// A network for one sample shape. `layers` are in the order of the forward pass; `buffers` counts
/// the elements of the BatchNorm running statistics.
struct Variant {
  std::vector<std::int64_t> input;
  std::string note;
  std::int64_t buffers = 0;
  std::vector<Layer> layers;
};

/// What one file models/networks/NAME.json holds. `reference` is the paper (or code) the
/// architecture comes from.
struct Network {
  std::string name;
  std::string title;
  std::string reference;
  std::vector<Variant> variants;
};

}  // namespace epochcast::describe
