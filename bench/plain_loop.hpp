// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/data/data_source.hpp"
#include "real/data/sample_order.hpp"
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::bench {

/// Training written directly in LibTorch, the baseline of our own loops.
class PlainLoop {
 public:
  static constexpr double kLearningRate = 0.01;
  static constexpr double kMomentum = 0.9;

  PlainLoop(const std::string& network, std::int64_t batch, const real::DataSource& data)
      : batch_(batch),
        data_(data),
        network_(real::make_network(network, real::task_of(data))),
        optimizer_(network_->parameters(),
                   torch::optim::SGDOptions(kLearningRate).momentum(kMomentum)) {
    sizes_.push_back(batch);
    sizes_.insert(sizes_.end(), data.shape().begin(), data.shape().end());
  }

  /// Shuffles the samples, in an order that follows from `block`.
  void begin_block(std::int64_t block) {
    order_ = real::shuffled_samples(data_.size(), static_cast<std::uint64_t>(block));
    next_ = 0;
  }
  void iterate() {
    const torch::Tensor samples = torch::empty(sizes_);
    const torch::Tensor labels = torch::empty({batch_}, torch::kInt64);
    const auto size = static_cast<std::size_t>(samples.numel() / batch_);
    for (std::int64_t i = 0; i < batch_; ++i) {
      float* sample = samples.data_ptr<float>() + static_cast<std::size_t>(i) * size;
      labels.data_ptr<std::int64_t>()[i] = data_.load(order_[next_++], {}, {sample, size});
    }
    optimizer_.zero_grad();
    torch::nn::functional::cross_entropy(network_->forward(samples), labels).backward();
    optimizer_.step();
  }

 private:
  std::int64_t batch_;
  const real::DataSource& data_;
  std::shared_ptr<real::TorchNetwork> network_;
  torch::optim::SGD optimizer_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> order_;
  std::size_t next_ = 0;
};

}  // namespace epochcast::bench
