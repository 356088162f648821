// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/measure_batches.hpp"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "core/costs/benchmark_rule.hpp"
#include "real/measure/batches/backward_layers.hpp"
#include "real/measure/batches/batch_trainer.hpp"
#include "real/measure/batches/point_tracker.hpp"
#include "real/measure/sampling/kernel_probe.hpp"
#include "real/measure/sampling/overlap_probe.hpp"
#include "real/torch/libtorch_reason.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {
namespace {

constexpr double kMostSecondsOfOverlap = 10;
constexpr double kMostSecondsOfKernels = 1;

void set_threads(int threads) {
  at::set_num_threads(threads);
  // OpenBLAS built with its own threads does not follow OpenMP's setting; LibTorch may or may not
  // use it.
  using SetThreads = void (*)(int);
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) {
    reinterpret_cast<SetThreads>(symbol)(threads);
  }
}

/// Measures the full speed of a slowed device's batches, while the others of the group compute
/// theirs; for the same time as a training rank before training.
void show_examples(BatchTrainer& trainer, const MeasureSettings& settings, MeasureGroup& group) {
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
SampleLog sample(BatchTrainer& trainer,
                 const MeasureSettings& settings,
                 PointTracker& tracker,
                 MeasureGroup& group,
                 Keep keep) {
  SampleLog log(settings.rule, clock_s());
  show_examples(trainer, settings, group);
  group.start_point();
  for (std::int64_t i = 0; i < settings.rule.warmup; ++i) static_cast<void>(trainer.run());
  bool has_enough = false;
  while (!group.is_point_over(has_enough)) {
    const BatchTiming timing = trainer.run();
    if (has_enough) continue;
    if (log.add(timing.batch_s(), settings.slow_down.value_or(1) * timing.cpu_s)) {
      keep(timing);
    }
    tracker.during(log);
    has_enough = log.is_enough(clock_s());
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
  BatchTrainer trainer(settings, network, batch);
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

/// Measures kernels on all gradients and on a part of them, while the others of the group do.
std::vector<KernelSamples> measure_kernels(const MeasureSettings& settings,
                                           const std::string& network,
                                           PointTracker& tracker,
                                           MeasureGroup& group) {
  constexpr std::int64_t kPart = 16;
  constexpr std::int64_t kFewest = 5;
  constexpr std::int64_t kMost = 32;  // oktopk selects exactly once in so many
  const std::int64_t batch = settings.batches.front();
  BatchTrainer trainer(settings, network, batch);
  static_cast<void>(trainer.run());
  const std::span<const float> gradients = trainer.host_gradients();
  std::vector<KernelSamples> all;
  for (const std::string& compression : settings.compressions) {
    tracker.begin(network, batch, PointTracker::Kind::kernels, compression);
    std::string results;
    for (const TensorShapes& tensors :
         {first_tensors(trainer.tensors(), std::ssize(gradients) / kPart), trainer.tensors()}) {
      const auto count = static_cast<std::size_t>(numbers_of(tensors));
      JobConfig config;
      config.compression = compression;
      config.of_strategies = settings.compression_settings;
      KernelProbe probe(config, gradients.first(count), tensors);
      const double most_s = std::min(kMostSecondsOfKernels, settings.rule.max_s);
      group.start_point();
      probe.exchange(false);
      bool has_enough = false;
      while (!group.is_point_over(has_enough)) {
        probe.exchange(!has_enough);
        has_enough = probe.exchanges() >= kMost ||
                     (probe.exchanges() >= kFewest && probe.seconds() > most_s);
      }
      const double mean_s = probe.seconds() / static_cast<double>(probe.exchanges());
      results += (results.empty() ? "" : ", ") + format_seconds(mean_s) + " for " +
                 format_bytes(sizeof(float) * static_cast<double>(count));
      all.insert(all.end(), probe.samples().begin(), probe.samples().end());
    }
    tracker.end_kernels(results);
  }
  return all;
}

NetworkCosts measure_network(const MeasureSettings& settings,
                             const std::string& network,
                             PointTracker& tracker,
                             MeasureGroup& group) {
  NetworkCosts costs = {.network = network, .input = settings.input};
  for (const std::int64_t batch : settings.batches) {
    tracker.begin(network, batch, PointTracker::Kind::batches);
    BatchTrainer trainer(settings, network, batch);
    BatchCosts point = {.batch = batch};
    const SampleLog log = sample(trainer, settings, tracker, group, [&](const BatchTiming& timing) {
      point.samples.push_back(timing);
    });
    point.preempted = log.preempted();
    point.dropped = log.dropped();
    costs.batches.push_back(std::move(point));
  }
  if (settings.layers_batch > 0) {
    tracker.begin(network, settings.layers_batch, PointTracker::Kind::layers);
    BatchTrainer trainer(settings, network, settings.layers_batch);
    trainer.watch_layers();
    std::vector<std::vector<LayerSeconds>> passes;
    sample(trainer, settings, tracker, group, [&](const BatchTiming&) {
      passes.push_back(trainer.last_layers());
    });
    costs.layers_batch = settings.layers_batch;
    costs.backward_layers = backward_shares(passes);
  }
  if (const auto exchange = settings.overlap.empty()
                                ? nullptr
                                : group.exchange(settings.overlap, settings.device == "cpu"))
    costs.overlap = {measure_overlap(settings, network, *exchange, tracker, group)};
  if (!settings.compressions.empty())
    costs.kernels = measure_kernels(settings, network, tracker, group);
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
