// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "real/torch/networks/task.hpp"

namespace epochcast::real {

using Shape = std::vector<std::int64_t>;

/// Cheap networks, one of each kind: convolutions, batch normalisation, a recurrent layer, two
/// halves, attention. Tests of all networks are tagged [long].
[[nodiscard]] const std::vector<std::string>& few_networks();

/// A shape that the network takes, among the cheapest to train on.
[[nodiscard]] Shape small_shape(const std::string& network);

/// Samples [batch, shape...]: pixels of a standard normal distribution, or token numbers.
[[nodiscard]] torch::Tensor random_samples(std::int64_t batch, const Shape& shape);

/// The task of the network on such samples; `classes` is the vocabulary of one that scores
/// tokens.
[[nodiscard]] Task small_task(const std::string& network, std::int64_t classes);

/// Samples of the task, and targets: classes, or tokens.
struct RandomBatch {
  torch::Tensor samples;
  torch::Tensor targets;
};
[[nodiscard]] RandomBatch random_batch(std::int64_t size, const Task& task);

/// The variants in models/networks/NAME.json.
[[nodiscard]] nlohmann::json described_variants(const std::string& network);

}  // namespace epochcast::real
