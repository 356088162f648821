// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <tuple>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kRecurrentHidden = 64;
constexpr std::int64_t kRecurrentFeatures = 32;
constexpr double kRecurrentDropout = 0.25;
constexpr double kRecurrentHeadDropout = 0.5;

/// A network that reads an image row by row, top to bottom, the pixels of all channels of a row
/// being one step: one recurrent layer, then on its last step batch norm, dropout of 0.25, a linear
/// layer of 32 features, dropout of 0.5 and the classifier (Moreno-Alvarez et al., TNNLS 2023). The
/// paper's text fixes these; 64 hidden units and a ReLU behind the 32 features are those of
/// PyTorch's mnist_rnn example, which the authors name as their source. Initialised as LibTorch
/// does. A training batch of one sample has no variance: it is normalised by the running
/// statistics, without an update.
///
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
    last = named(*this, "dropout1", torch::dropout(last, kRecurrentDropout, is_training()));
    last = named(*this, "relu", features_->forward(last).relu_());
    last = named(*this, "dropout2", torch::dropout(last, kRecurrentHeadDropout, is_training()));
    return head_->forward(last);
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

template <typename Cell, typename Options>
KnownNetwork recurrent_network(const std::string& name,
                               const std::string& title,
                               const std::string& reference) {
  return {.name = name,
          .title = title,
          .reference = reference,
          .requirement = image_of_at_least(1),
          .make = maker<RecurrentNetwork<Cell, Options>>(name),
          .described = {
              {.input = {1, 28, 28},
               .note = "an image is read row by row: 28 steps of 28 inputs; one recurrent layer, "
                       "then on its last step batch norm, dropout 0.25, linear 32, dropout 0.5, "
                       "linear 10 (TNNLS 2023); 64 hidden units and a ReLU after linear 32 as in "
                       "the MNIST RNN example of PyTorch, which the authors name"}}};
}

}  // namespace

KnownNetwork rnn_network() {
  return recurrent_network<torch::nn::RNN, torch::nn::RNNOptions>(
      "rnn", "Elman RNN on image rows", "Elman, Finding Structure in Time, 1990; as torch.nn.RNN");
}

KnownNetwork lstm_network() {
  return recurrent_network<torch::nn::LSTM, torch::nn::LSTMOptions>(
      "lstm",
      "LSTM on image rows",
      "Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; as torch.nn.LSTM");
}

KnownNetwork gru_network() {
  return recurrent_network<torch::nn::GRU, torch::nn::GRUOptions>(
      "gru",
      "GRU on image rows",
      "Cho et al., Learning Phrase Representations, EMNLP 2014; as torch.nn.GRU");
}

}  // namespace epochcast::real
