// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <iosfwd>
#include <vector>

#include "core/loss_sampling.hpp"

namespace epochcast::tests {

struct LocalTraining {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
};

/// The calls of one worker's learner by a strategy.
struct LearnerLog {
  std::vector<std::int64_t> epochs;           ///< of begin_epoch()
  std::vector<Share> shuffled;                ///< of use_shuffled()
  std::vector<Share> drawn;                   ///< of use_drawn()
  std::vector<std::int64_t> benchmarks;       ///< batch sizes
  std::vector<std::int64_t> batches;          ///< of forward_backward()
  std::vector<LocalTraining> local;           ///< of train()
  std::vector<BiasedDraw> draws;              ///< of draw(): the root's
  std::vector<std::vector<float>> indices;    ///< at use_drawn()
  std::vector<std::vector<float>> losses;     ///< gathered, at draw()
  std::vector<std::vector<float>> applied;    ///< the gradients at each step() or apply()
  std::vector<double> rates;                  ///< of apply()
  std::vector<double> shares;                 ///< of the epoch, of apply()
  std::vector<std::vector<float>> starts;     ///< the parameters before each batch or train()
  std::vector<float> parameters;              ///< at the end
  std::vector<const void*> bucket_addresses;  ///< in the order of buckets()
};

/// The computation of a test's worker, and its duration.
struct TestWork {
  /// The gradient of one sample, by rank and position in the shuffle.
  std::function<float(int rank, std::int64_t position)> gradient = [](int, std::int64_t position) {
    return static_cast<float>(position);
  };
  /// Seconds of one batch (forward + backward + step).
  std::function<double(int rank, std::int64_t batch)> batch_s = [](int, std::int64_t batch) {
    return 0.001 * static_cast<double>(batch);
  };
  std::function<double(int rank)> learning_rate = [](int) { return 1.0; };
  /// The losses of an epoch, by rank.
  std::function<LossSum(int rank, std::int64_t epoch)> loss_sum = [](int, std::int64_t) {
    return LossSum();
  };
};

/// A learner with six gradients and eight parameters (two of them BatchNorm statistics) that
/// records its calls.
///
/// A step subtracts the gradients from the parameters. Gradient j of a batch is (j + 1) times the
/// mean over its samples. Parameters are initially the worker's rank. The loss of position i is
/// 2·i. Throws std::logic_error when asked to train beyond its share.
class RecordingLearner : public SamplingLearner {
 public:
  static constexpr std::size_t kGradients = 6;
  static constexpr std::size_t kParameters = 8;
  static constexpr std::size_t kBuckets = 3;

  RecordingLearner(Fabric& fabric, const TestWork& work, LearnerLog& log);
  ~RecordingLearner() override;

  Payload parameters() override;
  Payload gradients() override;
  std::vector<Payload> buckets() override;

  void begin_epoch(std::int64_t epoch) override;
  void use_shuffled(const Share& share) override;
  Payload recorded_losses() override;
  void draw(const BiasedDraw& draw) override;
  Payload gathered_losses(std::int64_t samples) override;
  Payload drawn_indices(const BiasedDraw& draw) override;
  void use_drawn(const Share& share) override;

  void forward_backward(std::int64_t batch) override;
  void forward_backward(std::int64_t batch, const GradientReady& ready) override;
  void forward_backward(std::int64_t batch, const LayerHooks& hooks) override;
  void step() override;
  void step_part(std::int64_t begin, std::int64_t count, bool is_last) override;
  void apply(Payload gradients, std::int64_t begin, double rate, double epoch_share) override;
  void train(std::int64_t steps, std::int64_t batch) override;
  double learning_rate() const override { return work_.learning_rate(fabric_.rank()); }
  LossSum loss_sum() const override { return work_.loss_sum(fabric_.rank(), log_.epochs.back()); }
  double benchmark(std::int64_t batch) override;

 private:
  void compute_gradients(std::int64_t batch);
  void use(const Share& share);
  void apply();

  Fabric& fabric_;
  const TestWork& work_;
  LearnerLog& log_;
  std::array<float, kGradients> gradients_{};
  std::array<float, kParameters> parameters_{};
  std::vector<float> losses_, gathered_, indices_;
  Share share_;
  std::int64_t trained_ = 0;  ///< samples of the share
};

}  // namespace epochcast::tests

namespace epochcast {

/// For failed assertions.
std::ostream& operator<<(std::ostream& out, const Share& share);

}  // namespace epochcast
