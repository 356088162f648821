// SPDX-License-Identifier: Apache-2.0
#include "strategies/training.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace epochcast {
int trainer_count(const Fabric& fabric) {
  const auto workers = fabric.workers();
  return static_cast<int>(
      std::count_if(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
        return worker.role == Role::trains;
      }));
}

std::int64_t iterations_per_epoch(std::int64_t train_samples, std::int64_t global_batch) {
  const std::int64_t iterations = train_samples / global_batch;
  if (iterations == 0) {
    throw UserError("--batch: one iteration of all workers takes " + std::to_string(global_batch) +
                    " samples; the data set has " + std::to_string(train_samples));
  }
  return iterations;
}

std::int64_t rounds_per_epoch(std::int64_t train_samples,
                              std::int64_t workers,
                              std::int64_t batch,
                              std::int64_t local_steps) {
  if (local_steps > train_samples / (workers * batch)) {
    throw UserError("--local-steps: one round of " + std::to_string(local_steps) +
                    " steps takes more than an epoch: " + std::to_string(workers) +
                    " workers with batch " + std::to_string(batch) + " make " +
                    std::to_string(train_samples / (workers * batch)) + " steps through " +
                    std::to_string(train_samples) + " samples");
  }
  return train_samples / (workers * batch * local_steps);
}

void train_epochs(Worker& worker, const std::function<void(std::int64_t)>& epoch) {
  Fabric& fabric = worker.fabric;
  fabric.broadcast(worker.learner.parameters(), 0, fabric.world());
  fabric.barrier(fabric.world());
  const double start_s = fabric.now_s();
  const PhaseTimes phases = fabric.phases();
  const Traffic traffic = fabric.traffic();
  fabric.repeat(fabric.world(), worker.config.epochs, epoch);
  fabric.barrier(fabric.world());
  worker.report.startup_s = start_s;
  worker.report.training_s = fabric.now_s() - start_s;
  worker.report.training = fabric.phases() - phases;
  worker.report.traffic = fabric.traffic() - traffic;
}

void all_reduce_gradients(Worker& worker,
                          std::int64_t batch,
                          double weight,
                          const Communicator& among) {
  Fabric& fabric = worker.fabric;
  Learner& learner = worker.learner;
  const bool trains = fabric.self().role == Role::trains;
  if (worker.config.overlap == Overlap::none) {
    if (trains) learner.forward_backward(batch);
    fabric.all_reduce(learner.gradients(), weight, among);
    return;
  }
  std::vector<Request> on_the_way;
  const auto send = [&](Payload bucket) {
    on_the_way.push_back(fabric.start_all_reduce(bucket, weight, among));
  };
  if (trains) {
    learner.forward_backward(batch, send);
  } else {
    for (const Payload& bucket : learner.buckets()) send(bucket);
  }
  for (const Request& request : on_the_way) fabric.wait(request);
}

std::vector<double> benchmark_all(Worker& worker, std::int64_t batch) {
  const double seconds = worker.learner.benchmark(batch);
  return worker.fabric.all_gather({&seconds, 1}, worker.fabric.world());
}

void use_equal_share(Worker& worker) {
  const std::int64_t share = worker.train_samples / std::max(1, trainer_count(worker.fabric));
  const std::int64_t rank = worker.fabric.rank();
  worker.learner.use_shuffled(rank * share, (rank + 1) * share);
}

}  // namespace epochcast
