// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/measure/batches/network_costs.hpp"
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// Seconds of one layer in one backward pass.
struct LayerSeconds {
  std::string name;
  double seconds = 0;
};

/// Records when the gradients of each layer of a network are ready.
class BackwardLayers {
 public:
  /// Watches every parameter of `network` in its lifetime. `now` is the clock, in seconds; it must
  /// first synchronise with asynchronous devices.
  BackwardLayers(TorchNetwork& network, const std::function<double()>& now);

  /// Seconds per layer, in the order in which they became ready, of the backward pass that began at
  /// `started_s` and ended at `ended_s`; the time after the last gradient counts to the last layer.
  [[nodiscard]] std::vector<LayerSeconds> seconds(double started_s, double ended_s) const;

 private:
  struct Ready {
    std::string name;
    double at_s = 0;
  };

  // Shared with the hooks, which LibTorch keeps with the parameters.
  std::shared_ptr<std::vector<Ready>> ready_ = std::make_shared<std::vector<Ready>>();
};

/// Median seconds per layer over several passes, in the order of the first pass, scaled to sum
/// to 1.
[[nodiscard]] std::vector<LayerShare> backward_shares(
    std::span<const std::vector<LayerSeconds>> passes);

}  // namespace epochcast::real
