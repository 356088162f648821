// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/recurrent.hpp"

#include <string>
#include <tuple>

namespace epochcast::real {
namespace {

constexpr std::int64_t kRecurrentHidden = 128;

/// `Cell` is torch::nn::RNN, LSTM or GRU, `Options` its options.
template <typename Cell, typename Options>
class RecurrentNetwork : public TorchNetwork {
 public:
  RecurrentNetwork(const std::string& name,
                   std::span<const std::int64_t> shape,
                   std::int64_t classes) {
    const auto options = Options(shape[0] * shape[2], kRecurrentHidden).batch_first(true);
    cell_ = register_module(name, Cell(options));
    head_ = register_module("fc", torch::nn::Linear(kRecurrentHidden, classes));
  }

  torch::Tensor forward(torch::Tensor samples) override {
    const torch::Tensor rows = samples.transpose(1, 2).flatten(2);
    const torch::Tensor steps = std::get<0>(cell_->forward(rows));
    return head_->forward(steps.select(1, -1));
  }

 private:
  Cell cell_ = nullptr;
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
