// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::real {

class TorchNetwork;

/// One step of the forward pass, for one sample.
struct LayerRecord {
  std::string name;
  /// Its parameters, or none.
  std::vector<std::string> tensors = {};
  std::int64_t forward_flop = 0;
  std::int64_t multiply_adds = 0;  ///< of products and convolutions, two flop each of the former
  std::int64_t moved_bytes = 0;    ///< that its operations read and write, without parameters
  std::int64_t operations = 0;     ///< that compute something
  /// Of the outputs that a backward pass reads, of this layer or a later one; float32. In-place
  /// results share the output of the layer before, and count there.
  std::int64_t activation_bytes = 0;
};

/// The layers in the order in which samples of this shape pass through them. Nothing is computed:
/// an empty batch passes the network, and the callbacks of LibTorch's profiler record its
/// operations.
///
/// A layer is the operations that use the same module's parameters, named as these up to the last
/// dot; or operations without parameters, or with those of a layer that was passed before, as
/// named() calls them. Throws std::logic_error when a parameter belongs to no layer, when
/// operations that compute something have no name, or when operation_cost() throws.
[[nodiscard]] std::vector<LayerRecord> record_layers(TorchNetwork& network,
                                                     std::span<const std::int64_t> shape);

/// Makes a layer of the operations since the last one, which computed `output`, and returns
/// `output`. The layer's name is that of the module `owner` followed by `name`, which may be empty.
/// Without effect if no layers are recorded, or if there are no such operations.
torch::Tensor named(const torch::nn::Module& owner, std::string_view name, torch::Tensor output);

}  // namespace epochcast::real
