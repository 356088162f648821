// SPDX-License-Identifier: Apache-2.0
#include "strategies/parameter_server.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "strategies/server_part.hpp"
#include "strategies/servers.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

/// A worker that trains on batches that the first server deals.
class DealtTrainer {
 public:
  DealtTrainer(Worker& worker, const ServerLayout& layout, const ServedTraining& training)
      : worker_(worker), layout_(layout), training_(training) {
    if (!training.local_steps) return;
    const Payload like = layout.trained(worker.learner.parameters());
    moves_.emplace(like);
  }

  /// Returns the samples of the gradients that were taken; the report counts those of others.
  std::int64_t train_epoch() {
    Fabric& fabric = worker_.fabric;
    const std::int64_t steps = training_.local_steps.value_or(1);
    const std::int64_t length = steps * worker_.config.step_batch();
    std::int64_t samples = 0;
    Deal deal = {fabric.rank() < training_.gradients ? fabric.rank() : kNoBatch, 0};
    while (deal[0] != kNoBatch) {
      use(deal[0], length);
      std::vector<Request> under_way;
      start_push(fabric, layout_, training_.local_steps ? moves(steps) : gradients(), under_way);
      fabric.wait(fabric.start_receive(layout_.rank_of(0), payload_of(std::span(deal))));
      samples += deal[1] * length;
      if (deal[1] == 0) worker_.report.dropped_samples += length;
      if (deal[0] != kNoBatch) start_pull(worker_, layout_, under_way);
      for (const Request& request : under_way) fabric.wait(request);
    }
    return samples;
  }

 private:
  void use(std::int64_t deal, std::int64_t length) {
    const std::int64_t deals = training_.gradients;
    const auto place = [&](std::int64_t number) {
      return std::min(1.0, static_cast<double>(number) / static_cast<double>(deals));
    };
    worker_.learner.use_shuffled({.offset = deal % deals * length,
                                  .length = length,
                                  .stride = length,
                                  .count = 1,
                                  .epoch_begin = place(deal),
                                  .epoch_end = place(deal + 1)});
  }

  Payload gradients() {
    worker_.learner.forward_backward(worker_.config.step_batch());
    return worker_.learner.gradients();
  }

  /// Makes local steps; returns the difference of parameters after and before.
  Payload moves(std::int64_t steps) {
    Learner& learner = worker_.learner;
    const Payload& moves = moves_->payload();
    const std::span<float> numbers =
        moves.has_numbers() ? values<float>(moves) : std::span<float>();
    if (!numbers.empty()) {
      const Payload before = layout_.trained(learner.parameters());
      std::ranges::copy(values<float>(before), numbers.begin());
    }
    learner.kernel("copy", 2 * moves.bytes());
    learner.train(steps, worker_.config.step_batch());
    if (!numbers.empty()) {
      const Payload after = layout_.trained(learner.parameters());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = values<float>(after)[i] - numbers[i];
    }
    learner.kernel("difference", 3 * moves.bytes());
    return moves;
  }

  Worker& worker_;
  const ServerLayout& layout_;
  const ServedTraining& training_;
  std::optional<Room> moves_;  ///< first the parameters that it has pulled
};

}  // namespace

std::int64_t batches_per_epoch(const Worker& worker) {
  return iterations_per_epoch(worker.train_samples, worker.config.step_batch());
}

void run_parameter_server(Worker& worker, ServedTraining training) {
  Fabric& fabric = worker.fabric;
  const ServerLayout layout(worker);
  WorkerReport& report = worker.report;
  const bool trains = fabric.self().role == Role::trains;
  const std::int64_t steps = training.local_steps.value_or(1);
  report.batch = trains ? worker.config.step_batch() : 0;
  report.local_steps = steps;
  // Every worker exchanges with the servers after each of its batches.
  report.rounds_per_epoch =
      training.rounds.value_or((training.gradients + layout.trainers() - 1) / layout.trainers());
  report.iterations_per_epoch = steps * report.rounds_per_epoch;
  std::optional<DealtTrainer> trainer;
  std::unique_ptr<Server> server;
  if (trains) {
    trainer.emplace(worker, layout, training);
  } else {
    server = make_server(worker, layout, training);
  }

  const std::int64_t samples = training.gradients * steps * worker.config.step_batch();
  train_epochs(worker, [&](std::int64_t epoch) {
    std::int64_t own = 0;
    if (trains) {
      own = trainer->train_epoch();
    } else {
      server->serve_epoch(epoch);
    }
    report.samples_per_epoch = samples_of_epoch(worker, own, samples);
    broadcast_parts(worker, layout);
  });
}

void check_parameter_server(const JobConfig& config, const DeviceNames& /*devices*/) {
  const std::string& name = config.strategy;
  if (config.learning.clip_norm)
    throw UserError("--clip-norm: " + name + " has no rank that knows all gradients; use sync");
  if (config.overlap != Overlap::none)
    throw UserError("--overlap: " + name + " sends gradients when all of them are known");
  if (config.precision == Precision::float16)
    throw UserError("--precision float16: workers of " + name +
                    " make no steps, by which the scale of the loss adapts; use bfloat16");
}

}  // namespace epochcast
