// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

BatchLoss TorchNetwork::loss(const torch::Tensor& samples, const torch::Tensor& labels) {
  const torch::Tensor scores = forward(samples);
  const torch::Tensor sample_losses = torch::nn::functional::cross_entropy(
      scores, labels, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  return {.loss = sample_losses.mean(),
          .sample_losses = sample_losses.detach(),
          .correct = (scores.detach().argmax(1) == labels).sum()};
}

std::vector<torch::Tensor> TorchNetwork::pass_all_layers(const torch::Tensor& samples) {
  return {forward(samples)};
}

std::string TorchNetwork::classifier() const {
  const std::string last = named_parameters().back().key();
  return last.substr(0, last.rfind('.'));
}

}  // namespace epochcast::real
