// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/networks/describe/network.hpp"

namespace epochcast::describe {

/// Each describes the networks of one family, in the file of its name.
[[nodiscard]] std::vector<Network> resnet_family();
[[nodiscard]] std::vector<Network> vgg_family();
[[nodiscard]] std::vector<Network> densenet_family();
[[nodiscard]] std::vector<Network> wide_resnet_family();
[[nodiscard]] std::vector<Network> shufflenet_family();
[[nodiscard]] std::vector<Network> vision_transformer_family();
[[nodiscard]] std::vector<Network> distilbert_family();
[[nodiscard]] std::vector<Network> gan_family();
[[nodiscard]] std::vector<Network> recurrent_family();
[[nodiscard]] std::vector<Network> small_cnn_family();

/// Every network that the repository describes.
[[nodiscard]] std::vector<Network> all_networks();

}  // namespace epochcast::describe
