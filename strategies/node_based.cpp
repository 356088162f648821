// SPDX-License-Identifier: Apache-2.0
// Node-based communication (Moreno-Alvarez et al., TNNLS 2023): gradients are averaged inside the
// node every iteration, parameters over all workers every K' iterations and at the end of the
// epoch.
#include <algorithm>

#include "core/error.hpp"
#include "strategies/training.hpp"

namespace epochcast {

void run_node_based(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.batch;
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  const std::int64_t period = worker.config.averaging_period.value_or(iterations);
  if (period > iterations) {
    throw UserError("--averaging-period: got " + std::to_string(period) + "; an epoch has " +
                    std::to_string(iterations) + " iterations, so at most that");
  }
  worker.report.batch = batch;
  worker.report.local_steps = period;
  worker.report.iterations_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;
  worker.report.rounds_per_epoch = (iterations + period - 1) / period;

  const auto node_gradient = [&] {
    all_reduce_gradients(worker, batch, 1.0 / fabric.node().size(), fabric.node());
  };
  const auto average = [&] {
    fabric.all_reduce(worker.learner.parameters(), 1.0 / workers, fabric.world());
  };
  const bool applies_last = worker.config.averaging_order == AveragingOrder::printed;
  const auto iterate_and_average = [&](std::int64_t count) {
    repeat(worker, fabric.node(), applies_last ? count - 1 : count, [&](std::int64_t) {
      node_gradient();
      worker.learner.step();
    });
    if (applies_last) node_gradient();
    average();
    if (applies_last) worker.learner.step();
  };
  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, 1, iterations);
    repeat(worker, fabric.world(), iterations / period, [&](std::int64_t) {
      iterate_and_average(period);
    });
    if (iterations % period > 0) iterate_and_average(iterations % period);
  });
}

}  // namespace epochcast
