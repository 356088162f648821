// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/formats/network.hpp"
#include "core/job/loss.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

class DataSource;

/// The task of a network: samples, targets and loss.
struct Task {
  std::vector<std::int64_t> shape;  ///< of a sample
  std::int64_t classes = 0;         ///< as Dataset::classes
  bool are_tokens = false;          ///< samples are numbers of a vocabulary's words
  Targets targets = {};
  /// The loss; absent: outputs are not used.
  std::optional<Loss> loss = Loss::automatic;
};

/// Samples of this shape that have one of so many classes each; rows are of tokens.
[[nodiscard]] Task classification(std::span<const std::int64_t> shape, std::int64_t classes);
[[nodiscard]] Task task_of(const Dataset& dataset, Loss loss = Loss::automatic);
[[nodiscard]] Task task_of(const DataSource& data, Loss loss = Loss::automatic);

}  // namespace epochcast::real
