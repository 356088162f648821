// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// Networks that read an image row by row, top to bottom, the pixels of all channels of a row being
/// one step: one recurrent layer, then on its last step batch norm, dropout of 0.25, a linear layer
/// of 32 features, dropout of 0.5 and the classifier (Moreno-Alvarez et al., TNNLS 2023).
/// The paper's text fixes these; 64 hidden units and a ReLU behind the 32 features are those of
/// PyTorch's mnist_rnn example, which the authors name as their source.
/// Initialised as LibTorch does. A training batch of one sample has no variance: it is normalised
/// by the running statistics, which it leaves as they are.
[[nodiscard]] std::shared_ptr<TorchNetwork> make_rnn(std::span<const std::int64_t> shape,
                                                     std::int64_t classes);
[[nodiscard]] std::shared_ptr<TorchNetwork> make_lstm(std::span<const std::int64_t> shape,
                                                      std::int64_t classes);
[[nodiscard]] std::shared_ptr<TorchNetwork> make_gru(std::span<const std::int64_t> shape,
                                                     std::int64_t classes);

}  // namespace epochcast::real
