// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// Networks that read an image row by row, top to bottom, the pixels of all channels of a row being
/// one step: one recurrent layer of 128 hidden units, whose last step a linear layer classifies.
/// Initialised as LibTorch does.
[[nodiscard]] std::shared_ptr<TorchNetwork> make_rnn(std::span<const std::int64_t> shape,
                                                     std::int64_t classes);
[[nodiscard]] std::shared_ptr<TorchNetwork> make_lstm(std::span<const std::int64_t> shape,
                                                      std::int64_t classes);
[[nodiscard]] std::shared_ptr<TorchNetwork> make_gru(std::span<const std::int64_t> shape,
                                                     std::int64_t classes);

}  // namespace epochcast::real
