// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast::real {

using Shape = std::vector<std::int64_t>;

/// A shape that the network takes, among the cheapest to train on.
[[nodiscard]] Shape small_shape(const std::string& network);

/// Samples [batch, shape...]: pixels of a standard normal distribution, or token numbers.
[[nodiscard]] torch::Tensor random_samples(std::int64_t batch, const Shape& shape);

/// The variants in models/networks/NAME.json.
[[nodiscard]] nlohmann::json described_variants(const std::string& network);

}  // namespace epochcast::real
