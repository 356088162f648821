// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// The shapes of samples that a network takes.
struct ShapeRequirement {
  std::string expected;  ///< in words
  std::function<bool(std::span<const std::int64_t> shape)> is_met;
};

/// Images [channels, rows, columns] of at least that many rows and columns.
[[nodiscard]] ShapeRequirement image_of_at_least(std::int64_t pixels);

/// Whether the shape is that of images [channels, rows, columns] with at least that many rows and
/// columns.
[[nodiscard]] bool is_image(std::span<const std::int64_t> shape, std::int64_t pixels);

/// A shape of samples for which the network's file states the costs.
struct DescribedShape {
  std::vector<std::int64_t> input;
  /// The usual number for such samples; absent: that of dataset_of_shape().
  std::optional<std::int64_t> classes = {};
  std::string note;  ///< a peculiarity of the network for these samples
};

/// The properties of a network, apart from the class that computes it. models/networks/NAME.json is
/// written from it (network_text.hpp).
struct KnownNetwork {
  std::string name;
  std::string title;
  std::string reference;  ///< the paper (or code) that the architecture comes from
  ShapeRequirement requirement;
  /// A new network for a shape that meets the requirement.
  std::function<std::shared_ptr<TorchNetwork>(std::span<const std::int64_t> shape,
                                              std::int64_t classes)>
      make;
  std::vector<DescribedShape> described;
  bool scores_tokens = false;  ///< has an output for each token, rather than for the sample
  bool has_own_loss = false;
};

/// Makes a `Network` by its plan, if it has one, the shape and the number of classes.
template <typename Network, typename... Plan>
auto maker(Plan... plan) {
  return [plan...](std::span<const std::int64_t> shape, std::int64_t classes) {
    return std::make_shared<Network>(plan..., shape, classes);
  };
}

/// The networks in the order of network_names().
[[nodiscard]] const std::vector<KnownNetwork>& known_networks();

}  // namespace epochcast::real
