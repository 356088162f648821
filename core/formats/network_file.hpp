// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/source.hpp"

namespace epochcast {

/// Stands in a tensor's shape for the number of classes, which the data set decides.
inline constexpr std::int64_t kClasses = -1;

/// A parameter tensor, named as PyTorch or torchvision names it.
struct NetworkTensor {
  std::string name;
  std::vector<std::int64_t> shape;

  bool operator==(const NetworkTensor&) const = default;
};

/// A layer's work for one sample.
struct LayerWork {
  double product_flops = 0;     ///< of forward_flops: matrix products and convolutions
  double moved_bytes = 0;       ///< that forward reads and writes, without parameters
  std::int64_t operations = 0;  ///< of forward, by LibTorch calls

  bool operator==(const LayerWork&) const = default;
};

/// One step of the forward pass, for one sample. A `_per_class` figure is multiplied by the number
/// of classes and added to its namesake.
struct NetworkLayer {
  std::string name;
  std::vector<NetworkTensor> tensors = {};
  double forward_flops = 0;  ///< a multiply-add counted as two
  double activation_bytes = 0;
  double forward_flops_per_class = 0;
  double activation_bytes_per_class = 0;
  std::optional<LayerWork> work = {};  ///< absent: not counted

  bool operator==(const NetworkLayer&) const = default;
};

/// A network for one shape of samples.
struct NetworkVariant {
  std::vector<std::int64_t> input;
  /// The usual number for such samples or, if no layer depends on the data set's, the number that
  /// the network scores; absent: unknown.
  std::optional<std::int64_t> classes = {};
  std::string note = {};     ///< empty: none
  std::int64_t buffers = 0;  ///< BatchNorm running statistics, elements
  std::vector<NetworkLayer> layers =
      {};  ///< backward order: the first one's gradient is ready first

  bool operator==(const NetworkVariant&) const = default;
};

/// The content of a file models/networks/NAME.json, for any data set (core/formats/network.hpp is
/// for one).
struct NetworkFile {
  std::string name;
  std::string title;
  Source source;
  std::vector<NetworkVariant> variants;

  bool operator==(const NetworkFile&) const = default;
};

/// Reads `epochcast.network/1`; problems are collected, but for another schema, which is thrown.
[[nodiscard]] NetworkFile read_network_file(const nlohmann::json& document, Problems& problems);

/// The text of the document `epochcast.network/1`, a line for each layer.
[[nodiscard]] std::string network_text(const NetworkFile& network);

/// Reads a list of positive sizes.
[[nodiscard]] std::vector<std::int64_t> read_shape(const JsonInput& input);

}  // namespace epochcast
