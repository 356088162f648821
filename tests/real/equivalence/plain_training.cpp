// SPDX-License-Identifier: Apache-2.0
#include "tests/real/equivalence/plain_training.hpp"

#include <torch/torch.h>

#include "tests/real/test_device.hpp"

namespace epochcast::tests {

std::vector<float> train_plainly(const Trial& trial, const std::vector<Samples>& order) {
  namespace nn = torch::nn;
  torch::set_num_threads(1);
  torch::manual_seed(trial.config.seed);
  nn::Sequential network;  // construction in this order determines the random numbers of each layer
  network->push_back(nn::Conv2d(nn::Conv2dOptions(3, 6, 5)));
  network->push_back(nn::ReLU());
  network->push_back(nn::MaxPool2d(2));
  network->push_back(nn::Conv2d(nn::Conv2dOptions(6, 16, 5)));
  network->push_back(nn::ReLU());
  network->push_back(nn::MaxPool2d(2));
  network->push_back(nn::Flatten());
  network->push_back(nn::Linear(400, 120));
  network->push_back(nn::ReLU());
  network->push_back(nn::Linear(120, 10));
  const torch::Device device(test_device());
  network->to(device);
  torch::optim::SGD optimizer(network->parameters(),
                              torch::optim::SGDOptions(trial.config.learning.rate.base)
                                  .momentum(*trial.config.learning.optimizer.momentum));
  const auto data = training_data(trial);
  const std::int64_t batch = trial.config.batch;
  for (const Samples& samples : order) {
    for (std::size_t next = 0; next < samples.size(); next += static_cast<std::size_t>(batch)) {
      torch::Tensor images = torch::empty({batch, 3, 32, 32});
      torch::Tensor labels = torch::empty({batch}, torch::kInt64);
      for (std::int64_t i = 0; i < batch; ++i) {
        float* pixels = images[i].data_ptr<float>();
        const std::int64_t sample = samples[next + static_cast<std::size_t>(i)];
        labels[i] = data->load(sample, {}, {pixels, 3 * 32 * 32});
      }
      optimizer.zero_grad();
      nn::functional::cross_entropy(network->forward(images.to(device)), labels.to(device))
          .backward();
      optimizer.step();
    }
  }
  std::vector<float> parameters;
  for (const torch::Tensor& each : network->parameters()) {
    const torch::Tensor here = each.detach().cpu();
    const auto* values = here.data_ptr<float>();
    parameters.insert(parameters.end(), values, values + here.numel());
  }
  return parameters;
}

}  // namespace epochcast::tests
