// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/backward_layers.hpp"

#include <algorithm>
#include <utility>

#include "core/costs/batch_cost.hpp"
#include "real/measure/sampling/sampling.hpp"

namespace epochcast::real {
namespace {

std::string layer_name(const std::string& tensor_name) {
  return tensor_name.substr(0, tensor_name.rfind('.'));
}

}  // namespace

BackwardLayers::BackwardLayers(TorchNetwork& network, const std::function<double()>& now) {
  for (const auto& parameter : network.named_parameters()) {
    const std::string name = layer_name(parameter.key());
    const auto known = std::find_if(
        ready_->begin(), ready_->end(), [&](const Ready& ready) { return ready.name == name; });
    const auto index = static_cast<std::size_t>(known - ready_->begin());
    if (known == ready_->end()) {
      ready_->push_back({.name = name});
    }
    // The hook of a parameter runs when its gradient is complete. A layer's last tensor wins.
    parameter.value().register_hook(
        [ready = ready_, index, now](const torch::Tensor&) { (*ready)[index].at_s = now(); });
  }
}

std::vector<LayerSeconds> BackwardLayers::seconds(double started_s, double ended_s) const {
  std::vector<Ready> in_order = *ready_;
  std::stable_sort(in_order.begin(), in_order.end(), [](const Ready& left, const Ready& right) {
    return left.at_s < right.at_s;
  });
  std::vector<LayerSeconds> layers;
  double before_s = started_s;
  for (const Ready& ready : in_order) {
    layers.push_back({.name = ready.name, .seconds = ready.at_s - before_s});
    before_s = ready.at_s;
  }
  if (!layers.empty()) {
    layers.back().seconds += ended_s - before_s;
  }
  return layers;
}

std::vector<LayerShare> backward_shares(std::span<const std::vector<LayerSeconds>> passes) {
  std::vector<LayerShare> shares;
  if (passes.empty()) {
    return shares;
  }
  double total_s = 0;
  for (const LayerSeconds& layer : passes.front()) {
    std::vector<double> seconds;
    for (const std::vector<LayerSeconds>& pass : passes) {
      const auto same = std::find_if(pass.begin(), pass.end(), [&](const LayerSeconds& other) {
        return other.name == layer.name;
      });
      if (same != pass.end()) {
        seconds.push_back(same->seconds);
      }
    }
    shares.push_back({.name = layer.name, .share = median_of(seconds)});
    total_s += shares.back().share;
  }
  for (LayerShare& layer : shares) {
    layer.share /= total_s;
  }
  return shares;
}

}  // namespace epochcast::real
