// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/batch_trainer.hpp"

#include <torch/version.h>

#include <ctime>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/process/exact_sleep.hpp"
#include "real/measure/sampling/sampling.hpp"
#include "real/torch/autocast.hpp"
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {
namespace {

constexpr double kLearningRate = 1e-4;
constexpr double kOneBucket = std::numeric_limits<double>::infinity();

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

torch::Device open_device(const std::string& name) {
  const bool is_cuda = name.rfind("cuda", 0) == 0;
  if (!is_cuda) {
    return {torch::kCPU};
  }
  if (!torch::cuda::is_available()) {
    throw UserError("--device: got \"" + name +
                    "\"; this LibTorch (" TORCH_VERSION ") finds no CUDA device; expected cpu");
  }
  const torch::Device device(name);
  const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
  if (device.has_index() && device.index() >= count) {
    throw UserError("--device: got \"" + name +
                    "\"; expected cuda:0 to cuda:" + std::to_string(count - 1));
  }
  return device;
}

/// The samples that training would load.
std::shared_ptr<const DataSource> open_source(const MeasureSettings& settings) {
  if (settings.data) return settings.data;
  constexpr std::int64_t kSamples = 50'000;
  Dataset dataset;
  dataset.train_samples = kSamples;
  dataset.test_samples = 1;
  dataset.shape = settings.input;
  dataset.classes = settings.classes;
  dataset.are_tokens = settings.input.size() == 1;
  return procedural_data(dataset, settings.seed).train;
}

/// Copies the results that training keeps of a batch to the host.
void look_at(const BatchLoss& loss) {
  static_cast<void>(loss.loss.item<float>());
  static_cast<void>(loss.sample_losses.to(torch::kCPU).contiguous());
  static_cast<void>(loss.correct.item<double>());
}

}  // namespace

BatchTrainer::BatchTrainer(const MeasureSettings& settings,
                           const std::string& network,
                           std::int64_t batch)
    : device_(open_device(settings.device)),
      source_(open_source(settings)),
      loader_(*source_, device_),
      random_(settings.seed),
      augments_(settings.augment),
      device_as_slow_(settings.slow_down.value_or(1)),
      precision_(settings.precision),
      clip_norm_(settings.clip_norm),
      model_(
          make_network(network, task_of(*source_, settings.loss)), device_, kOneBucket, kOneBucket),
      optimizer_(make_optimizer(settings.optimizer, model_.parameters())),
      batch_(batch),
      next_(draw()) {
  allow_tf32(precision_);
  if (precision_ == Precision::float16) scaler_.emplace();
}

BatchTiming BatchTrainer::run(const BatchHooks& hooks) {
  BatchTiming timing;
  const double cpu_start_s = thread_cpu_s();
  const double start_s = synchronized_s();
  double loaded_s = 0;
  double forward_ended_s = 0;
  {
    const std::vector<std::int64_t> indices = std::exchange(next_, draw());
    const Batch data =
        loader_.load(indices, augments_ ? std::optional<std::uint64_t>(1) : std::nullopt, next_);
    loaded_s = synchronized_s();
    const BatchLoss loss = [&] {
      const Autocast autocast(precision_, device_);
      return model_.network().loss(data.samples, data.targets);
    }();
    forward_ended_s = end_of_part("forward", 0, start_s);
    if (hooks.before_backward) hooks.before_backward();
    backward_started_s_ = synchronized_s();
    model_.gradients().zero_();
    (scaler_ ? loss.loss * scaler_->scale() : loss.loss).backward();
    if (scaler_)
      model_.unscale_gradients({.begin = 0, .end = model_.gradients().numel()}, scaler_->scale());
    gradients_ready_s_ = synchronized_s();
    look_at(loss);
  }  // in training, too, backward ends after the graph has been freed
  const double backward_ended_s = end_of_part("backward", 1, backward_started_s_);
  if (hooks.before_step) hooks.before_step();
  const double step_started_s = synchronized_s();
  step();
  const double end_s = end_of_part("step", 2, step_started_s);
  timing.cpu_s = thread_cpu_s() - cpu_start_s;
  timing.load_s = loaded_s - start_s;
  timing.forward_s = forward_ended_s - loaded_s;
  timing.backward_s = backward_ended_s - backward_started_s_;
  timing.step_s = end_s - step_started_s;
  return timing;
}

void BatchTrainer::step() {
  if (scaler_) {
    const bool are_finite =
        model_.has_finite_gradients({.begin = 0, .end = model_.gradients().numel()});
    scaler_->update(are_finite);
    if (!are_finite) return;
  }
  if (clip_norm_) model_.clip_gradients(*clip_norm_);
  optimizer_->step(kLearningRate);
}

std::span<const float> BatchTrainer::host_gradients() {
  model_.gradients_to_host({.begin = 0, .end = model_.gradients().numel()});
  return model_.host_gradients();
}

TensorShapes BatchTrainer::tensors() {
  TensorShapes shapes;
  for (const torch::Tensor& parameter : model_.network().parameters())
    if (parameter.numel() > 0) shapes.push_back(parameter.sizes().vec());
  return shapes;
}

double BatchTrainer::synchronized_s() const {
  if (device_.is_cuda()) {
    torch::cuda::synchronize(device_.index());
  }
  return clock_s();
}

double BatchTrainer::end_of_part(std::string_view what, std::size_t number, double start_s) {
  const double end_s = synchronized_s();
  const double more_s = device_as_slow_({.what = what,
                                         .samples = batch_,
                                         .begin = number,
                                         .end = number + 1,
                                         .real_s = end_s - start_s,
                                         .is_example = shows_examples_});
  if (more_s <= 0) return end_s;
  sleep_exactly(more_s);
  return clock_s();
}

std::vector<std::int64_t> BatchTrainer::draw() {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(batch_));
  for (std::int64_t& index : indices) {
    index = static_cast<std::int64_t>(random_.uniform() * static_cast<double>(source_->size()));
  }
  return indices;
}

}  // namespace epochcast::real
