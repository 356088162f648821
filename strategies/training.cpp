// SPDX-License-Identifier: Apache-2.0
#include "strategies/training.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "strategies/averaging.hpp"
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
  AllReduceChoice choice = fabric.world().all_reduce;
  choice.algorithm = all_reduce;
  return fabric.communicator(std::move(ranks), choice);
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

namespace {

using Body = std::function<void(std::int64_t)>;

/// Iterations [begin, end), which do the same work. Counts the steps of those that a simulated
/// clock skips; returns those of the last one that was run.
std::int64_t run_iterations(Worker& worker,
                            const Communicator& among,
                            std::int64_t begin,
                            std::int64_t end,
                            const Body& body) {
  Compression* const compression = worker.compression.get();
  std::int64_t next = begin;
  std::int64_t steps = 0;
  const auto count_until = [&](std::int64_t i) {
    if (compression != nullptr && i > next) compression->add_steps((i - next) * steps);
    next = i;
  };
  worker.fabric.repeat(among, end - begin, [&](std::int64_t i) {
    count_until(begin + i);
    const std::int64_t before = compression == nullptr ? 0 : compression->steps();
    body(next);
    worker.progress.finished(next);
    if (compression != nullptr) steps = compression->steps() - before;
    ++next;
  });
  count_until(end);
  return steps;
}

/// The same while the compression may end its warm-up in between: the iteration in which it does is
/// run by itself.
void run_with_warm_up(Worker& worker,
                      const Communicator& among,
                      std::int64_t begin,
                      std::int64_t end,
                      const Body& body) {
  while (begin < end) {
    const Compression* const compression = worker.compression.get();
    if (compression == nullptr || !compression->is_warming_up()) {
      run_iterations(worker, among, begin, end, body);
      return;
    }
    const std::int64_t steps = run_iterations(worker, among, begin, begin + 1, body);
    ++begin;
    const std::int64_t left =
        std::max<std::int64_t>(0, compression->first_step() - compression->steps());
    const std::int64_t whole = steps > 0 ? std::min(left / steps, end - begin) : end - begin;
    if (whole > 0) run_iterations(worker, among, begin, begin + whole, body);
    begin += whole;
  }
}

/// all_reduce_gradients() with the worker's compression.
void exchange_compressed(Worker& worker,
                         std::int64_t batch,
                         double weight,
                         const Communicator& among) {
  Learner& learner = worker.learner;
  std::vector<Compression::Finish> finishes;
  const auto start = [&](Payload bucket, TensorShapes tensors) {
    finishes.push_back(worker.compression->start_exchange({.fabric = worker.fabric,
                                                           .observer = learner,
                                                           .bucket = bucket,
                                                           .index = finishes.size(),
                                                           .tensors = std::move(tensors),
                                                           .weight = weight,
                                                           .among = among}));
  };
  std::vector<TensorShapes> tensors = learner.bucket_tensors();
  if (worker.config.overlap == Overlap::none) {
    learner.forward_backward(batch);
    start(learner.gradients(), all_tensors(tensors));
  } else {
    learner.forward_backward(batch, [&](Payload bucket) {
      const std::size_t index = finishes.size();
      start(bucket, index < tensors.size() ? tensors[index] : TensorShapes());
    });
  }
  for (const Compression::Finish& finish : finishes) finish();
  worker.compression->add_steps(1);
}

}  // namespace

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
    run_with_warm_up(worker, among, begin, end, body);
    begin = end;
  }
  worker.progress.leave();
  return count - first;
}

void train_epochs(Worker& worker,
                  const std::function<void(std::int64_t)>& epoch,
                  const std::vector<std::int64_t>& changes) {
  Fabric& fabric = worker.fabric;
  worker.compression = make_compression(worker.config, fabric.rank());
  fabric.warm_up(worker.learner.gradients());
  share_parameters(worker);
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
      std::min(worker.config.epochs, worker.pause_after.value_or(worker.config.epochs)),
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
  if (worker.compression != nullptr) {
    exchange_compressed(worker, batch, weight, among);
  } else {
    all_reduce_whole_gradients(worker, batch, weight, among);
  }
}

void all_reduce_whole_gradients(Worker& worker,
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

std::int64_t samples_of_epoch(Worker& worker, std::int64_t mine, std::int64_t all) {
  const std::array own = {static_cast<double>(mine)};
  const SharedNumbers every = worker.fabric.all_gather_numbers(own, worker.fabric.world());
  const double run = std::accumulate(every.values().begin(), every.values().end(), 0.0);
  return run > 0 ? std::llround(own[0] * static_cast<double>(all) / run) : 0;
}

void use_equal_share(Worker& worker, std::int64_t steps, std::int64_t count) {
  const std::int64_t samples = steps * worker.config.step_batch();
  worker.learner.use_shuffled({.offset = worker.fabric.rank() * samples,
                               .length = samples,
                               .stride = trainer_count(worker.fabric) * samples,
                               .count = count});
}

}  // namespace epochcast
