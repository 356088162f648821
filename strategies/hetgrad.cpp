// SPDX-License-Identifier: Apache-2.0
// HetGrad (J. Supercomputing 2022): uneven partitions by measured speed, gradients weighted by the
// data behind them.
#include <algorithm>

#include "strategies/partition.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr int kMostRefinements = 10;
constexpr double kBalanced = 0.01;  // refining ends when batch times differ by at most this share

/// Measures the current batches, for the n-th time, and adds the result to the curves.
double measure(Worker& worker,
               int n,
               const std::vector<std::int64_t>& batches,
               std::vector<TimeCurve>& curves) {
  const auto rank = static_cast<std::size_t>(worker.fabric.rank());
  const std::string name = "seconds of partition " + std::to_string(n);
  const std::vector<double> seconds = remembered(worker, name, [&] {
    const double own_s = batches[rank] > 0 ? worker.learner.benchmark(batches[rank]) : 0;
    return worker.fabric.all_gather({&own_s, 1}, worker.fabric.world());
  });
  for (std::size_t p = 0; p < curves.size(); ++p) curves[p].add(batches[p], seconds[p]);
  return imbalance(seconds);
}

/// Steps 1 and 2 of the paper; with --partition functional the batches are refined on measured
/// curves.
std::vector<std::int64_t> partition(Worker& worker) {
  const std::vector<double> seconds = benchmark_all(worker, worker.config.batch);
  const std::int64_t global_batch = worker.config.batch * static_cast<std::int64_t>(seconds.size());
  std::vector<std::int64_t> batches = proportional_shares(global_batch, relative_speeds(seconds));
  std::vector<TimeCurve> curves(seconds.size());
  for (std::size_t p = 0; p < curves.size(); ++p) curves[p].add(worker.config.batch, seconds[p]);
  double left = measure(worker, 0, batches, curves);
  worker.report.constant_imbalance = left;
  if (worker.config.partition == Partition::constant) return batches;

  std::vector<std::int64_t> best = batches;
  double least = left;
  for (int i = 0; i < kMostRefinements && least > kBalanced; ++i) {
    batches = functional_shares(global_batch, curves);
    left = measure(worker, i + 1, batches, curves);
    if (left < least) {
      least = left;
      best = batches;
    }
  }
  worker.report.functional_imbalance = least;
  return best;
}

void run(Worker& worker, bool weighted) {
  Fabric& fabric = worker.fabric;
  const auto rank = static_cast<std::size_t>(fabric.rank());
  const std::vector<std::int64_t> batches = partition(worker);
  std::int64_t global_batch = 0;
  std::int64_t first_sample = 0;  // of this worker, in every iteration's batch
  for (std::size_t p = 0; p < batches.size(); ++p) {
    if (p < rank) first_sample += batches[p];
    global_batch += batches[p];
  }
  const std::int64_t batch = batches[rank];
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, global_batch);
  const double weight = weighted ? static_cast<double>(batch) / static_cast<double>(global_batch)
                                 : 1.0 / fabric.world().size();
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;

  train_epochs(worker, [&](std::int64_t) {
    worker.learner.use_shuffled(
        {.offset = first_sample, .length = batch, .stride = global_batch, .count = iterations});
    repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
      all_reduce_gradients(worker, batch, weight, fabric.world());
      worker.learner.step();
    });
  });
}

}  // namespace

void run_hetgrad(Worker& worker) { run(worker, true); }

void run_hetgrad_unweighted(Worker& worker) { run(worker, false); }

}  // namespace epochcast
