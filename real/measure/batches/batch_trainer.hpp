// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics/random.hpp"
#include "core/learner.hpp"
#include "real/data/data_source.hpp"
#include "real/measure/batches/backward_layers.hpp"
#include "real/measure/batches/measure_batches.hpp"
#include "real/measure/sampling/overlap_probe.hpp"
#include "real/torch/batch_loader.hpp"
#include "real/torch/flat_model.hpp"
#include "real/torch/loss_scaler.hpp"
#include "real/torch/optimizers/flat_optimizer.hpp"
#include "real/torch/slow_device.hpp"

namespace epochcast::real {

/// A network in training at one batch size, with the memory and the precision of TorchLearner:
/// gradients are zeroed and accumulated, not newly allocated; float16 has a scale of the loss.
class BatchTrainer {
 public:
  BatchTrainer(const MeasureSettings& settings, const std::string& network, std::int64_t batch);

  /// Trains on one batch.
  BatchTiming run(const BatchHooks& hooks = {});

  /// While `shows`, batches run at full speed, as examples for a slowed device.
  void show_examples(bool shows) { shows_examples_ = shows; }

  [[nodiscard]] double gradient_bytes() const {
    return static_cast<double>(model_.gradients().nbytes());
  }

  /// The gradients of the last batch, in host memory, and the shapes of their tensors.
  [[nodiscard]] std::span<const float> host_gradients();
  [[nodiscard]] TensorShapes tensors();

  void watch_layers() {
    layers_ =
        std::make_unique<BackwardLayers>(model_.network(), [this] { return synchronized_s(); });
  }

  [[nodiscard]] std::vector<LayerSeconds> last_layers() const {
    return layers_->seconds(backward_started_s_, gradients_ready_s_);
  }

 private:
  [[nodiscard]] double synchronized_s() const;
  /// The optimizer's step, unless gradients are not finite.
  void step();
  /// Ends the part of a batch that began at `start_s`, after a slowed device has slept for the rest
  /// of it. Parts are those of TorchLearner.
  double end_of_part(std::string_view what, std::size_t number, double start_s);
  /// A batch of samples in the order of a shuffled epoch.
  std::vector<std::int64_t> draw();

  torch::Device device_;
  std::shared_ptr<const DataSource> source_;
  BatchLoader loader_;
  Random random_;
  bool augments_;
  SlowDevice device_as_slow_;
  bool shows_examples_ = false;
  Precision precision_;
  std::optional<LossScaler> scaler_;
  std::optional<double> clip_norm_;
  FlatModel model_;
  std::unique_ptr<FlatOptimizer> optimizer_;
  std::int64_t batch_;
  std::vector<std::int64_t> next_;
  double backward_started_s_ = 0;
  double gradients_ready_s_ = 0;
  std::unique_ptr<BackwardLayers> layers_;
};

}  // namespace epochcast::real
