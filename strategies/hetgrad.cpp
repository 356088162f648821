// SPDX-License-Identifier: Apache-2.0
// HetGrad (J. Supercomputing 2022): uneven partitions by measured speed, gradients weighted by the
// data behind them.
#include "strategies/hetgrad.hpp"

#include <algorithm>
#include <memory>

#include "core/job/setting_value.hpp"
#include "strategies/partition.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr int kMostRefinements = 10;
constexpr double kBalanced = 0.01;  // refining ends when batch times differ by at most this share

enum class Partition { constant, functional };
constexpr Names<Partition, 2> kPartitions = {
    {{"constant", Partition::constant}, {"functional", Partition::functional}}};

constexpr StrategySettingOf kPartition(
    "partition",
    "constant|functional",
    "hetgrad: partition by one speed per worker, or by measured curves",
    "constant",
    "functional",
    value::Name{kPartitions});

/// A division of the global batch.
struct Division {
  std::vector<std::int64_t> batches;  ///< by rank
  std::vector<std::int64_t> begins;   ///< of the batches, in the global one
  std::vector<TimeCurve> curves;      ///< by rank, from earlier measurements
};

Division division_of(std::vector<std::int64_t> batches, std::vector<TimeCurve> curves) {
  std::vector<std::int64_t> begins = begins_of(batches);
  return {.batches = std::move(batches), .begins = std::move(begins), .curves = std::move(curves)};
}

/// The result of measuring a division.
struct Measured {
  double imbalance = 0;
  Division next;  ///< balanced on the curves so far, if it can be improved
};

/// Step 2 of the paper on one speed per worker.
Division constant_division(std::int64_t batch, const std::vector<double>& seconds) {
  const std::int64_t global_batch = batch * static_cast<std::int64_t>(seconds.size());
  std::vector<TimeCurve> curves(seconds.size());
  for (std::size_t p = 0; p < seconds.size(); ++p) curves[p].add(batch, seconds[p]);
  return division_of(proportional_shares(global_batch, relative_speeds(seconds)),
                     std::move(curves));
}

Measured learned(const JobConfig& config,
                 const Division& division,
                 const std::vector<double>& seconds) {
  Measured result = {.imbalance = imbalance(seconds), .next = {}};
  if (kPartition.of(config) == Partition::constant || result.imbalance <= kBalanced) return result;
  const std::int64_t global_batch = config.step_batch() * static_cast<std::int64_t>(seconds.size());
  std::vector<TimeCurve> curves = division.curves;
  for (std::size_t p = 0; p < seconds.size(); ++p) curves[p].add(division.batches[p], seconds[p]);
  std::vector<std::int64_t> batches = functional_shares(global_batch, curves);
  result.next = division_of(std::move(batches), std::move(curves));
  return result;
}

/// Measures a division, the n-th.
std::shared_ptr<const Measured> measure(Worker& worker, int n, const Division& division) {
  const std::string name = "seconds of partition " + std::to_string(n);
  const SharedNumbers seconds = remembered(worker, name, [&] {
    const std::int64_t batch = division.batches[static_cast<std::size_t>(worker.fabric.rank())];
    const double own_s = batch > 0 ? worker.learner.benchmark(batch) : 0;
    return worker.fabric.all_gather_numbers({&own_s, 1}, worker.fabric.world());
  });
  return seconds.follow(
      [&](const std::vector<double>& all) { return learned(worker.config, division, all); });
}

/// Steps 1 and 2 of the paper; with --partition functional the batches are refined on measured
/// curves.
std::shared_ptr<const Division> partition(Worker& worker) {
  const SharedNumbers seconds = benchmark_all(worker, worker.config.step_batch());
  std::shared_ptr<const Division> best = seconds.follow([&](const std::vector<double>& all) {
    return constant_division(worker.config.step_batch(), all);
  });
  std::shared_ptr<const Measured> latest = measure(worker, 0, *best);
  double least = latest->imbalance;
  worker.report.constant_imbalance = least;
  if (kPartition.of(worker.config) == Partition::constant) return best;

  for (int i = 0; i < kMostRefinements && least > kBalanced; ++i) {
    const std::shared_ptr<const Division> refined(latest, &latest->next);
    latest = measure(worker, i + 1, *refined);
    if (latest->imbalance < least) {
      least = latest->imbalance;
      best = refined;
    }
  }
  worker.report.functional_imbalance = least;
  return best;
}

/// D of eq. 1: workers that have samples. Those that have none have no gradient to average.
std::int64_t busy_workers(const Division& division) {
  const std::vector<std::int64_t>& batches = division.batches;
  return std::count_if(
      batches.begin(), batches.end(), [](std::int64_t batch) { return batch > 0; });
}

}  // namespace

void run_hetgrad(Worker& worker, bool is_weighted) {
  Fabric& fabric = worker.fabric;
  const auto rank = static_cast<std::size_t>(fabric.rank());
  const std::shared_ptr<const Division> chosen = partition(worker);
  const std::int64_t batch = chosen->batches[rank];
  const std::int64_t first_sample = chosen->begins[rank];  // in every iteration's batch
  const std::int64_t global_batch = chosen->begins.back();
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, global_batch);
  const double weighted_share = static_cast<double>(batch) / static_cast<double>(global_batch);
  const double plain_share = batch > 0 ? 1.0 / static_cast<double>(busy_workers(*chosen)) : 0;
  const double weight = is_weighted ? weighted_share : plain_share;
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;

  train_epochs(worker, [&](std::int64_t) {
    worker.learner.use_shuffled(
        {.offset = first_sample, .length = batch, .stride = global_batch, .count = iterations});
    train_iterations(worker, iterations, batch, weight, fabric.world());
  });
}

std::span<const StrategySetting* const> hetgrad_settings() {
  static constexpr std::array<const StrategySetting*, 1> kOwn = {&kPartition};
  return kOwn;
}

Strategy hetgrad_strategy() {
  return {.name = "hetgrad",
          .summary = "batches by speed, gradients weighted by batch (--partition)",
          .source = "HetGrad, J. Supercomputing 2022",
          .divides_by_speed = true,
          .settings = hetgrad_settings(),
          .steps_together = true,
          .run = [](Worker& worker) { run_hetgrad(worker, true); }};
}

}  // namespace epochcast
