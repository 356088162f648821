// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// A network whose parameters, BatchNorm statistics and gradients are one buffer each, so an
/// exchange is one call without copies. The network's own tensors are views into them.
///
/// On a GPU, each buffer has a mirror in pinned host memory, which is exchanged;
/// gradients_to_host() and similar functions copy. On a CPU the mirror is the buffer.
class FlatModel {
 public:
  /// A range of the gradients [begin, end), in elements.
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    bool operator==(const Range&) const = default;
  };
  using RangeReady = std::function<void(std::size_t bucket)>;

  /// Takes over the network and moves it to `device`. Gradients are cut, from the last parameter to
  /// the first, into ranges that are closed when they have reached `first_bytes` (the first) or
  /// `bucket_bytes`.
  FlatModel(std::shared_ptr<TorchNetwork> network,
            torch::Device device,
            double first_bytes,
            double bucket_bytes);
  FlatModel(const FlatModel&) = delete;  // the network's hooks point to this object
  FlatModel& operator=(const FlatModel&) = delete;

  [[nodiscard]] TorchNetwork& network() { return *network_; }
  [[nodiscard]] torch::Device device() const { return device_; }
  /// All parameters, float32 [count], a leaf whose .grad is all gradients.
  [[nodiscard]] const torch::Tensor& parameters() const { return parameters_; }
  /// Parameters, then buffers that are averaged.
  [[nodiscard]] const torch::Tensor& state() const { return state_; }
  [[nodiscard]] const torch::Tensor& gradients() const { return gradients_; }

  /// Scales all gradients by one factor so that their norm is at most `norm`, as PyTorch's
  /// clip_grad_norm_ does (Pascanu et al., ICML 2013, algorithm 1).
  void clip_gradients(double norm);
  /// Divides a range of the gradients by the scale of the loss.
  void unscale_gradients(const Range& range, double scale);
  /// Whether no gradient of the range is infinite or undefined.
  [[nodiscard]] bool has_finite_gradients(const Range& range) const;

  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  /// Calls `ready` from now on, in the order of ranges(), once all gradients of a range are final;
  /// an empty function ends that.
  void watch(RangeReady ready) { ready_ = std::move(ready); }
  /// Call before backward().
  void begin_backward();
  /// Call after backward(): parameters that got no gradient are ready too.
  void end_backward();

  /// The exchanged buffers; see above.
  [[nodiscard]] std::span<float> host_state();
  [[nodiscard]] std::span<float> host_gradients();
  void state_to_host();
  void state_from_host();
  void gradients_to_host(const Range& range);
  void gradients_from_host();

 private:
  void flatten();
  void cut(double first_bytes, double bucket_bytes);
  void hook_parameters();
  void parameter_is_ready(std::size_t parameter);

  std::shared_ptr<TorchNetwork> network_;
  torch::Device device_;
  torch::Tensor state_, parameters_, gradients_;
  torch::Tensor host_state_, host_gradients_;
  std::vector<Range> ranges_;
  std::vector<std::size_t> range_of_parameter_;
  std::vector<std::int64_t> parameters_in_range_;
  /// Keeps the hooks alive, which parameters do not.
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;
  RangeReady ready_;
  std::vector<std::int64_t> missing_;  ///< parameters of each range, in the current backward
  std::size_t next_range_ = 0;         ///< the first that is not ready
};

}  // namespace epochcast::real
