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
  /// Of the outputs that some backward pass reads, whether this layer's or a later one's; float32.
  /// What is computed in place lies in the output of the layer before, and counts there.
  std::int64_t activation_bytes = 0;
};

/// The layers in the order in which samples of this shape pass through them. Nothing is computed:
/// a batch of no samples is sent through the network, and what LibTorch is asked to do is recorded
/// by the callbacks of its profiler.
///
/// A layer is the operations that use the same module's parameters, named as these up to the last
/// dot; or operations without parameters, or with those of a layer that was passed before, as
/// named() calls them. Throws std::logic_error when a parameter is in none, when operations that
/// compute something have no name, and where operation_cost() does.
[[nodiscard]] std::vector<LayerRecord> record_layers(TorchNetwork& network,
                                                     std::span<const std::int64_t> shape);

/// Makes a layer of the operations since the last one, which led to `output`, and passes it on. The
/// layer's name is that of the module `owner` with `name` behind it; `name` may be empty. Does
/// nothing when no layers are recorded, or when there are no such operations.
torch::Tensor named(const torch::nn::Module& owner, std::string_view name, torch::Tensor output);

}  // namespace epochcast::real
