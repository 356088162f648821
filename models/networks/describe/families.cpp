// SPDX-License-Identifier: Apache-2.0
#include "models/networks/describe/families.hpp"

#include <utility>

namespace epochcast::describe {

std::vector<Network> all_networks() {
  std::vector<Network> networks;
  for (const auto family : {resnet_family,
                            vgg_family,
                            densenet_family,
                            wide_resnet_family,
                            shufflenet_family,
                            vision_transformer_family,
                            distilbert_family,
                            gan_family,
                            recurrent_family,
                            small_cnn_family}) {
    for (Network& network : family()) networks.push_back(std::move(network));
  }
  return networks;
}

}  // namespace epochcast::describe
