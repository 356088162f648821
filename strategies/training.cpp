// SPDX-License-Identifier: Apache-2.0
#include "strategies/training.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "strategies/dear.hpp"

namespace epochcast {
int trainer_count(const Fabric& fabric) {
  const auto workers = fabric.workers();
  const auto first_server =
      std::partition_point(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
        return worker.role == Role::trains;
      });
  return static_cast<int>(first_server - workers.begin());
}

const Communicator& trainers(Fabric& fabric, const std::string& all_reduce) {
  std::vector<int> ranks(static_cast<std::size_t>(trainer_count(fabric)));
  std::iota(ranks.begin(), ranks.end(), 0);
  return fabric.communicator(std::move(ranks), {.algorithm = all_reduce, .servers = {}});
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

std::int64_t repeat(Worker& worker,
                    const Communicator& among,
                    std::int64_t count,
                    const std::function<void(std::int64_t)>& body,
                    const std::vector<std::int64_t>& changes) {
  const std::int64_t first = worker.progress.enter(count);
  std::vector<std::int64_t> ends = changes;
  ends.push_back(count);
  std::int64_t begin = first;
  for (const std::int64_t change : ends) {
    const std::int64_t end = std::clamp(change, begin, count);
    if (end == begin) continue;
    worker.fabric.repeat(among, end - begin, [&](std::int64_t i) {
      body(begin + i);
      worker.progress.finished(begin + i);
    });
    begin = end;
  }
  worker.progress.leave();
  return count - first;
}

void train_epochs(Worker& worker,
                  const std::function<void(std::int64_t)>& epoch,
                  const std::vector<std::int64_t>& changes) {
  Fabric& fabric = worker.fabric;
  fabric.warm_up(worker.learner.gradients());
  fabric.broadcast(worker.learner.parameters(), 0, fabric.world());
  fabric.barrier(fabric.world());
  WorkerReport& report = worker.report;
  report.startup_s = fabric.now_s();
  double since_s = report.startup_s;
  PhaseTimes phases = fabric.phases();
  Traffic traffic = fabric.traffic();
  const auto mark = [&] {
    fabric.barrier(fabric.world());
    since_s = fabric.now_s();
    phases = fabric.phases();
    traffic = fabric.traffic();
  };
  const auto count = [&](std::int64_t epochs) {
    fabric.barrier(fabric.world());
    report.epochs += epochs;
    report.training_s += fabric.now_s() - since_s;
    report.training += fabric.phases() - phases;
    report.traffic += fabric.traffic() - traffic;
  };
  std::int64_t epochs = repeat(
      worker,
      fabric.world(),
      worker.config.epochs,
      [&](std::int64_t e) {
        worker.learner.begin_epoch(e);
        const bool is_whole = !worker.progress.is_resuming();
        epoch(e);
        if (!worker.after_epoch) return;
        if (is_whole) count(1);
        worker.after_epoch(e);
        mark();
      },
      changes);
  if (!worker.after_epoch) count(epochs);
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

void train_iterations(Worker& worker,
                      std::int64_t iterations,
                      std::int64_t batch,
                      double weight,
                      const Communicator& among) {
  if (worker.config.overlap == Overlap::dear)
    return train_dear(worker, iterations, batch, weight, among);
  repeat(worker, among, iterations, [&](std::int64_t) {
    all_reduce_gradients(worker, batch, weight, among);
    worker.learner.step();
  });
}

SharedNumbers remembered(Worker& worker,
                         const std::string& name,
                         const std::function<SharedNumbers()>& measure) {
  SharedNumbers& known = worker.progress.memory[name];
  if (known.values().empty()) known = measure();
  return known;
}

SharedNumbers benchmark_all(Worker& worker, std::int64_t batch) {
  return remembered(worker, "seconds of batch " + std::to_string(batch), [&] {
    const double seconds = worker.learner.benchmark(batch);
    return worker.fabric.all_gather_numbers({&seconds, 1}, worker.fabric.world());
  });
}

void use_equal_share(Worker& worker, std::int64_t steps, std::int64_t count) {
  const std::int64_t samples = steps * worker.config.step_batch();
  worker.learner.use_shuffled({.offset = worker.fabric.rank() * samples,
                               .length = samples,
                               .stride = trainer_count(worker.fabric) * samples,
                               .count = count});
}

}  // namespace epochcast
