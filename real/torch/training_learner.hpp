// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/precision.hpp"
#include "core/job/learning_rate.hpp"
#include "core/job/loss.hpp"
#include "core/job/optimizer_settings.hpp"
#include "core/loss_sampling.hpp"
#include "real/data/data_source.hpp"
#include "real/data/picture_grid.hpp"
#include "real/torch/loss_scaler.hpp"
#include "real/torch/pretrained/pretrained.hpp"
#include "real/torch/slow_device.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

/// Settings of a TorchLearner, the same on every rank.
struct LearnerSettings {
  std::string network;
  /// File of the first parameters, which the first rank reads for all; empty: random ones. See
  /// load_pretrained().
  std::string pretrained = {};
  Loss loss = Loss::automatic;
  OptimizerSettings optimizer;
  LearningRateSchedule learning_rate;
  std::optional<double> clip_norm = {};  ///< of all gradients together, at most, in a step
  std::int64_t accumulate = 1;           ///< parts in which a batch is passed through the network
  bool augment = true;
  /// Of forward passes, as device_precision() returned it.
  Precision precision = Precision::float32;
  std::optional<LossScaler> loss_scaler = {};  ///< as it begins; float16 needs one
  double first_bucket_bytes = 0;
  double bucket_bytes = 0;
  std::uint64_t seed = 1;
  /// Other learners of this process use LibTorch's generators, too (dropout): this one keeps its
  /// own stream.
  bool shares_process = false;
};

/// The score of a model on samples.
struct Score {
  double loss_sum = 0;
  double correct = 0;  ///< samples, or shares of a sample's tokens; NaN: nothing is classified
  double samples = 0;
  /// Of a GAN's discriminator, summed over samples like `loss_sum`; NaN for other networks.
  double discriminator_loss_sum = 0;
  double generator_loss_sum = 0;

  Score& operator+=(const Score& other) {
    loss_sum += other.loss_sum;
    correct += other.correct;
    samples += other.samples;
    discriminator_loss_sum += other.discriminator_loss_sum;
    generator_loss_sum += other.generator_loss_sum;
    return *this;
  }
};

/// A learner with a model that can be tested and saved.
class TrainingLearner : public SamplingLearner {
 public:
  /// The score on the samples trained on since the epoch began.
  [[nodiscard]] virtual Score trained() const = 0;
  /// The source of the initial parameters; absent if they are random, and on all ranks but the
  /// first, which broadcasts its parameters.
  [[nodiscard]] virtual const std::optional<Pretrained>& pretrained() const = 0;
  /// The completed part of the epoch's share, 0 to 1.
  [[nodiscard]] virtual double epoch_share() const = 0;
  /// BatchNorm's running statistics, which are the end of parameters(); none in other networks.
  [[nodiscard]] virtual Payload statistics() = 0;
  /// The score on samples [begin, end) of `data`, in evaluation mode.
  [[nodiscard]] virtual Score test(const DataSource& data,
                                   std::int64_t begin,
                                   std::int64_t end) = 0;

  /// Images of these classes generated in evaluation mode, always from the same noise; empty if the
  /// model generates none.
  [[nodiscard]] virtual Pictures generate(const std::vector<std::int64_t>& labels) = 0;

  /// Computes gradients of some batches before training, without effect on it: a process's first
  /// ones take longer, for memory and kernel selection. A pace then gets examples of batches of
  /// this size and of a quarter of it.
  virtual void warm_up(std::int64_t batch) = 0;
  /// Seconds of batches of this size and their steps, from the first one on, as many as benchmark()
  /// computes, without effect on training.
  [[nodiscard]] virtual std::vector<double> timed_batches(std::int64_t batch) = 0;

  /// Whether its next batches may be computed in another thread, beside those of other learners of
  /// this process, without a change of a bit: on a CPU, without random numbers. Not known before
  /// its first batch.
  [[nodiscard]] virtual bool is_independent() const = 0;

  /// Everything that the rest of the training depends on, as bytes.
  [[nodiscard]] virtual std::string save() = 0;
  /// Continues bit for bit where save() was called, on the same kind of machine. Throws a RunError
  /// when the bytes are damaged or of another network.
  virtual void load(const std::string& bytes) = 0;
  /// Continues where save() was called on another rank, but with this rank's random generators.
  virtual void join(const std::string& bytes) = 0;
};

/// A learner that trains with LibTorch on `device` ("cpu", "cuda:0"), with so many threads of a
/// CPU; see TorchLearner. References must outlive it. Throws a UserError when the network does not
/// suit the data, the names are unknown, or LibTorch has no such device.
[[nodiscard]] std::unique_ptr<TrainingLearner> make_torch_learner(Fabric& fabric,
                                                                  const DataSource& data,
                                                                  const LearnerSettings& settings,
                                                                  const std::string& device,
                                                                  int threads,
                                                                  Pace pace = {});

/// Lets the calling thread compute as the one that made the learners does: with so many threads.
void begin_thread(int threads);

/// The name of a device in traces and results: "nvidia-h100-80gb-hbm3", "amd-epyc-1thread". Throws
/// a UserError when LibTorch has no such device.
[[nodiscard]] std::string torch_device_model(const std::string& device, int threads);

}  // namespace epochcast::real
