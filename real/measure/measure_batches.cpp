// SPDX-License-Identifier: Apache-2.0
#include "real/measure/measure_batches.hpp"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/process/exact_sleep.hpp"
#include "base/statistics/random.hpp"
#include "core/costs/benchmark_rule.hpp"
#include "real/data/data_source.hpp"
#include "real/measure/backward_layers.hpp"
#include "real/measure/overlap_probe.hpp"
#include "real/measure/point_tracker.hpp"
#include "real/torch/batch_loader.hpp"
#include "real/torch/flat_model.hpp"
#include "real/torch/libtorch_reason.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "real/torch/optimizers/flat_optimizer.hpp"
#include "real/torch/slow_device.hpp"

namespace epochcast::real {
namespace {

constexpr double kLearningRate = 1e-4;
constexpr double kOneBucket = std::numeric_limits<double>::infinity();
constexpr double kMostSecondsOfOverlap = 10;

double clock_s(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double now_s() { return clock_s(CLOCK_MONOTONIC); }

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

void set_threads(int threads) {
  at::set_num_threads(threads);
  // OpenBLAS built with its own threads does not follow OpenMP's setting; LibTorch may or may not
  // use it.
  using SetThreads = void (*)(int);
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) {
    reinterpret_cast<SetThreads>(symbol)(threads);
  }
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

/// A network in training at one batch size, with the memory of TorchLearner: gradients are zeroed
/// and accumulated, not newly allocated.
class Trainer {
 public:
  Trainer(const MeasureSettings& settings, const std::string& network, std::int64_t batch)
      : device_(open_device(settings.device)),
        source_(open_source(settings)),
        loader_(*source_, device_),
        random_(settings.seed),
        augments_(settings.augment),
        device_as_slow_(settings.slow_down.value_or(1)),
        clip_norm_(settings.clip_norm),
        model_(make_network(network, task_of(*source_, settings.loss)),
               device_,
               kOneBucket,
               kOneBucket),
        optimizer_(make_optimizer(settings.optimizer, model_.parameters())),
        batch_(batch),
        next_(draw()) {}

  /// Trains on one batch.
  BatchTiming run(const BatchHooks& hooks = {}) {
    BatchTiming timing;
    const double cpu_start_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    const double start_s = synchronized_now_s();
    double loaded_s = 0;
    double forward_ended_s = 0;
    {
      const std::vector<std::int64_t> indices = std::exchange(next_, draw());
      const Batch data =
          loader_.load(indices, augments_ ? std::optional<std::uint64_t>(1) : std::nullopt, next_);
      loaded_s = synchronized_now_s();
      const BatchLoss loss = model_.network().loss(data.samples, data.targets);
      forward_ended_s = end_of_part("forward", 0, start_s);
      if (hooks.before_backward) hooks.before_backward();
      backward_started_s_ = synchronized_now_s();
      model_.gradients().zero_();
      loss.loss.backward();
      gradients_ready_s_ = synchronized_now_s();
      look_at(loss);
    }  // in training, too, backward ends after the graph has been freed
    const double backward_ended_s = end_of_part("backward", 1, backward_started_s_);
    if (hooks.before_step) hooks.before_step();
    const double step_started_s = synchronized_now_s();
    if (clip_norm_) model_.clip_gradients(*clip_norm_);
    optimizer_->step(kLearningRate);
    const double end_s = end_of_part("step", 2, step_started_s);
    timing.cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu_start_s;
    timing.load_s = loaded_s - start_s;
    timing.forward_s = forward_ended_s - loaded_s;
    timing.backward_s = backward_ended_s - backward_started_s_;
    timing.step_s = end_s - step_started_s;
    return timing;
  }

  /// While `shows`, batches run at full speed, as examples for a slowed device.
  void show_examples(bool shows) { shows_examples_ = shows; }

  [[nodiscard]] double gradient_bytes() const {
    return static_cast<double>(model_.gradients().nbytes());
  }

  void watch_layers() {
    layers_ =
        std::make_unique<BackwardLayers>(model_.network(), [this] { return synchronized_now_s(); });
  }

  [[nodiscard]] std::vector<LayerSeconds> last_layers() const {
    return layers_->seconds(backward_started_s_, gradients_ready_s_);
  }

 private:
  /// Copies the results that training keeps of a batch to the host.
  static void look_at(const BatchLoss& loss) {
    static_cast<void>(loss.loss.item<float>());
    static_cast<void>(loss.sample_losses.to(torch::kCPU).contiguous());
    static_cast<void>(loss.correct.item<double>());
  }

  double synchronized_now_s() const {
    if (device_.is_cuda()) {
      torch::cuda::synchronize(device_.index());
    }
    return now_s();
  }

  /// Ends the part of a batch that began at `start_s`, after a slowed device has slept for the rest
  /// of it. Parts are those of TorchLearner.
  double end_of_part(std::string_view what, std::size_t number, double start_s) {
    const double end_s = synchronized_now_s();
    const double more_s = device_as_slow_({.what = what,
                                           .samples = batch_,
                                           .begin = number,
                                           .end = number + 1,
                                           .real_s = end_s - start_s,
                                           .is_example = shows_examples_});
    if (more_s <= 0) return end_s;
    sleep_exactly(more_s);
    return now_s();
  }

  /// A batch of samples in the order of a shuffled epoch.
  std::vector<std::int64_t> draw() {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(batch_));
    for (std::int64_t& index : indices) {
      index = static_cast<std::int64_t>(random_.uniform() * static_cast<double>(source_->size()));
    }
    return indices;
  }

  torch::Device device_;
  std::shared_ptr<const DataSource> source_;
  BatchLoader loader_;
  Random random_;
  bool augments_;
  SlowDevice device_as_slow_;
  bool shows_examples_ = false;
  std::optional<double> clip_norm_;
  FlatModel model_;
  std::unique_ptr<FlatOptimizer> optimizer_;
  std::int64_t batch_;
  std::vector<std::int64_t> next_;
  double backward_started_s_ = 0;
  double gradients_ready_s_ = 0;
  std::unique_ptr<BackwardLayers> layers_;
};

/// Measures the full speed of a slowed device's batches, while the others of the group compute
/// theirs; for the same time as a training rank before training.
void show_examples(Trainer& trainer, const MeasureSettings& settings, MeasureGroup& group) {
  constexpr std::int64_t kWarmUp = 2;
  if (!settings.slow_down) return;
  group.start_point();
  trainer.show_examples(true);
  double all_s = 0;
  bool has_enough = false;
  for (std::int64_t i = 1; !group.is_point_over(has_enough); ++i) {
    const double batch_s = trainer.run().batch_s();
    all_s += batch_s;
    has_enough = is_benchmark_over(i - kWarmUp, all_s);
  }
  trainer.show_examples(false);
}

/// Runs batches until the rule has enough samples, and passes each valid one to `keep`. Then
/// continues for the load alone until all of the group have enough.
template <typename Keep>
SampleLog sample(Trainer& trainer,
                 const MeasureSettings& settings,
                 PointTracker& tracker,
                 MeasureGroup& group,
                 std::vector<double>& warmup_s,
                 Keep keep) {
  SampleLog log(settings.rule, now_s());
  show_examples(trainer, settings, group);
  group.start_point();
  for (std::int64_t i = 0; i < settings.rule.warmup; ++i)
    warmup_s.push_back(trainer.run().batch_s());
  bool has_enough = false;
  while (!group.is_point_over(has_enough)) {
    const BatchTiming timing = trainer.run();
    if (has_enough) continue;
    if (log.add(timing.batch_s(), settings.slow_down.value_or(1) * timing.cpu_s)) {
      keep(timing);
    }
    tracker.during(log);
    has_enough = log.is_enough(now_s());
  }
  tracker.end(log);
  return log;
}

OverlapSamples measure_overlap(const MeasureSettings& settings,
                               const std::string& network,
                               GroupExchange& exchange,
                               PointTracker& tracker,
                               MeasureGroup& group) {
  const std::int64_t batch = settings.batches[settings.batches.size() / 2];
  tracker.begin(network, batch, PointTracker::Kind::overlap);
  Trainer trainer(settings, network, batch);
  show_examples(trainer, settings, group);
  const OverlapPoint point = {.batch = batch,
                              .all_reduce = settings.overlap,
                              .bytes = std::min(settings.overlap_bytes, trainer.gradient_bytes()),
                              .max_s = std::min(kMostSecondsOfOverlap, settings.rule.max_s)};
  OverlapSamples samples = measure_overlap(
      point,
      [&](const BatchHooks& hooks) { return trainer.run(hooks).batch_s(); },
      exchange,
      group,
      [&](double done) { tracker.during_overlap(done); });
  tracker.end_overlap(samples);
  return samples;
}

NetworkCosts measure_network(const MeasureSettings& settings,
                             const std::string& network,
                             PointTracker& tracker,
                             MeasureGroup& group) {
  NetworkCosts costs = {.network = network, .input = settings.input};
  for (const std::int64_t batch : settings.batches) {
    tracker.begin(network, batch, PointTracker::Kind::batches);
    Trainer trainer(settings, network, batch);
    BatchCosts point = {.batch = batch};
    const SampleLog log =
        sample(trainer, settings, tracker, group, point.warmup_s, [&](const BatchTiming& timing) {
          point.samples.push_back(timing);
        });
    point.preempted = log.preempted();
    point.dropped = log.dropped();
    costs.batches.push_back(std::move(point));
  }
  if (settings.layers_batch > 0) {
    tracker.begin(network, settings.layers_batch, PointTracker::Kind::layers);
    Trainer trainer(settings, network, settings.layers_batch);
    trainer.watch_layers();
    std::vector<std::vector<LayerSeconds>> passes;
    std::vector<double> warmup_s;
    sample(trainer, settings, tracker, group, warmup_s, [&](const BatchTiming&) {
      passes.push_back(trainer.last_layers());
    });
    costs.layers_batch = settings.layers_batch;
    costs.backward_layers = backward_shares(passes);
  }
  if (const auto exchange = settings.overlap.empty()
                                ? nullptr
                                : group.exchange(settings.overlap, settings.device == "cpu"))
    costs.overlap = {measure_overlap(settings, network, *exchange, tracker, group)};
  return costs;
}

}  // namespace

std::vector<NetworkCosts> measure(const MeasureSettings& settings,
                                  const std::function<void(const MeasureProgress&)>& report,
                                  MeasureGroup& group) {
  for (const std::string& network : settings.networks) {
    check_network(network,
                  settings.data ? task_of(*settings.data, settings.loss)
                                : classification(settings.input, settings.classes));
  }
  try {
    set_threads(settings.threads);
    torch::manual_seed(settings.seed);
    PointTracker tracker(settings, report);
    std::vector<NetworkCosts> costs;
    for (const std::string& network : settings.networks) {
      costs.push_back(measure_network(settings, network, tracker, group));
    }
    return costs;
  } catch (const c10::Error& error) {
    throw RunError("LibTorch: " + reason_of(error));
  }
}

std::vector<NetworkCosts> measure(const MeasureSettings& settings,
                                  const std::function<void(const MeasureProgress&)>& report) {
  MeasureAlone alone;
  return measure(settings, report, alone);
}

std::map<std::string, std::string> library_versions() {
  std::map<std::string, std::string> versions = {{"libtorch", TORCH_VERSION}};
  using Config = char* (*)();
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_get_config")) {
    std::istringstream words(reinterpret_cast<Config>(symbol)());
    std::string name;
    std::string version;
    words >> name >> version;  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    versions["openblas"] = version;
  }
  return versions;
}

}  // namespace epochcast::real
