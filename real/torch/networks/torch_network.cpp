// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

BatchLoss TorchNetwork::loss(const torch::Tensor& samples, const torch::Tensor& targets) {
  return loss_of(loss_, forward(samples), targets);
}

std::vector<torch::Tensor> TorchNetwork::pass_all_layers(const torch::Tensor& samples) {
  return {forward(samples)};
}

std::string TorchNetwork::classifier() const {
  const std::string last = named_parameters().back().key();
  return last.substr(0, last.rfind('.'));
}

}  // namespace epochcast::real
