// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/recurrent.hpp"

#include <string>
#include <tuple>

namespace epochcast::real {
namespace {

constexpr std::int64_t kRecurrentHidden = 64;
constexpr std::int64_t kRecurrentFeatures = 32;
constexpr double kRecurrentDropout = 0.25;
constexpr double kRecurrentHeadDropout = 0.5;

/// `Cell` is torch::nn::RNN, LSTM or GRU, `Options` its options.
template <typename Cell, typename Options>
class RecurrentNetwork : public TorchNetwork {
 public:
  RecurrentNetwork(const std::string& name,
                   std::span<const std::int64_t> shape,
                   std::int64_t classes) {
    const auto options = Options(shape[0] * shape[2], kRecurrentHidden).batch_first(true);
    cell_ = register_module(name, Cell(options));
    norm_ = register_module("norm", torch::nn::BatchNorm1d(kRecurrentHidden));
    features_ = register_module("fc1", torch::nn::Linear(kRecurrentHidden, kRecurrentFeatures));
    head_ = register_module("fc2", torch::nn::Linear(kRecurrentFeatures, classes));
  }

  torch::Tensor forward(torch::Tensor samples) override {
    const torch::Tensor rows = samples.transpose(1, 2).flatten(2);
    const torch::Tensor steps = std::get<0>(cell_->forward(rows));
    torch::Tensor last = normalised(steps.select(1, -1));
    last = torch::dropout(last, kRecurrentDropout, is_training());
    last = features_->forward(last).relu_();
    return head_->forward(torch::dropout(last, kRecurrentHeadDropout, is_training()));
  }

 private:
  torch::Tensor normalised(const torch::Tensor& hidden) {
    if (!is_training() || hidden.size(0) > 1) return norm_->forward(hidden);
    auto settings = torch::nn::functional::BatchNormFuncOptions();
    settings.weight(norm_->weight).bias(norm_->bias).eps(norm_->options.eps());
    return torch::nn::functional::batch_norm(
        hidden, norm_->running_mean, norm_->running_var, settings);
  }

  Cell cell_ = nullptr;
  torch::nn::BatchNorm1d norm_ = nullptr;
  torch::nn::Linear features_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

}  // namespace

std::shared_ptr<TorchNetwork> make_rnn(std::span<const std::int64_t> shape, std::int64_t classes) {
  using Network = RecurrentNetwork<torch::nn::RNN, torch::nn::RNNOptions>;
  return std::make_shared<Network>("rnn", shape, classes);
}

std::shared_ptr<TorchNetwork> make_lstm(std::span<const std::int64_t> shape, std::int64_t classes) {
  using Network = RecurrentNetwork<torch::nn::LSTM, torch::nn::LSTMOptions>;
  return std::make_shared<Network>("lstm", shape, classes);
}

std::shared_ptr<TorchNetwork> make_gru(std::span<const std::int64_t> shape, std::int64_t classes) {
  using Network = RecurrentNetwork<torch::nn::GRU, torch::nn::GRUOptions>;
  return std::make_shared<Network>("gru", shape, classes);
}

}  // namespace epochcast::real
