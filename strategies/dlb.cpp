// SPDX-License-Identifier: Apache-2.0
// Dynamic load balancing (IEEE TETCI 2023): synchronous SGD whose batches follow the throughput
// that each worker showed in the last epoch.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "strategies/partition.hpp"
#include "strategies/training.hpp"

namespace epochcast {

void run_dlb(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const auto rank = static_cast<std::size_t>(fabric.rank());
  const std::int64_t global_batch = worker.config.batch * trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, global_batch);
  std::vector<std::int64_t> batches(fabric.workers().size(), worker.config.batch);
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;

  train_epochs(worker, [&](std::int64_t) {
    const std::vector<double>& known = worker.progress.memory["batches"];
    for (std::size_t p = 0; p < known.size(); ++p) batches[p] = std::llround(known[p]);
    const std::int64_t batch = batches[rank];
    const std::int64_t first =
        std::accumulate(batches.begin(), batches.begin() + fabric.rank(), std::int64_t{0});
    worker.report.batch = batch;
    worker.learner.use_shuffled(
        {.offset = first, .length = batch, .stride = global_batch, .count = iterations});
    const double busy_before_s = fabric.phases().compute_s;
    const std::int64_t run = repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
      const double weight = static_cast<double>(batch) / static_cast<double>(global_batch);
      all_reduce_gradients(worker, batch, weight, fabric.world());
      worker.learner.step();
    });
    // x_p of the paper: samples per second of computing; a worker that sits at one sample keeps it,
    // or it could never return.
    const double busy_s = fabric.phases().compute_s - busy_before_s;
    const double throughput = static_cast<double>(batch * run) / busy_s;
    const std::vector<std::int64_t> used = std::exchange(
        batches, exact_shares(global_batch, fabric.all_gather({&throughput, 1}, fabric.world())));
    for (std::size_t p = 0; p < batches.size(); ++p) {
      if (batches[p] == 0) {
        ++batches[p];
        --*std::max_element(batches.begin(), batches.end());
      }
    }
    if (batches != used) fabric.announce_change();
    worker.progress.memory["batches"].assign(batches.begin(), batches.end());
  });
}

}  // namespace epochcast
