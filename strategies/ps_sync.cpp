// SPDX-License-Identifier: Apache-2.0
// Synchronous SGD through parameter servers: one update with the mean of all workers' gradients.
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "strategies/parameter_server.hpp"
#include "strategies/server_part.hpp"
#include "strategies/server_settings.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr std::array<const StrategySetting*, 1> kSettings = {&kServers};

/// A round of a worker: pushes the gradient of its next batch, and pulls the new parameters.
void push_and_pull(Worker& worker, const ServerLayout& layout) {
  worker.learner.forward_backward(worker.config.step_batch());
  std::vector<Request> under_way;
  start_push(worker.fabric, layout, worker.learner.gradients(), under_way);
  start_pull(worker, layout, under_way);
  for (const Request& request : under_way) worker.fabric.wait(request);
}

/// A round of a server. Its answers end with it: a loop's iterations must not overlap.
void serve_round(Worker& worker, ServerPart& part, const ServerOrder& order, double epoch_share) {
  std::vector<Request> under_way;
  for (const int from : order.taken) under_way.push_back(part.start_receive(from));
  for (const Request& request : under_way) worker.fabric.wait(request);
  part.carry_out(order, epoch_share);
  under_way.clear();
  for (const int to : order.answered) under_way.push_back(part.start_answer(to));
  for (const Request& request : under_way) worker.fabric.wait(request);
}

void run_ps_sync(Worker& worker) {
  const ServerLayout layout(worker);
  const bool trains = worker.fabric.self().role == Role::trains;
  const std::int64_t batch = worker.config.step_batch();
  const std::int64_t rounds = iterations_per_epoch(worker.train_samples, layout.trainers() * batch);
  WorkerReport& report = worker.report;
  report.batch = trains ? batch : 0;
  report.iterations_per_epoch = report.rounds_per_epoch = rounds;
  report.samples_per_epoch = trains ? rounds * batch : 0;
  std::vector<int> all(static_cast<std::size_t>(layout.trainers()));
  std::iota(all.begin(), all.end(), 0);
  const ServerOrder order = {
      .taken = all, .weight = 1.0 / layout.trainers(), .rate = 1, .answered = all};
  std::optional<ServerPart> part;
  if (!trains) {
    part.emplace(worker, layout, ServerPart::Pushed::gradients);
    report.updates_by_staleness = {rounds * layout.trainers()};
  }

  train_epochs(worker, [&](std::int64_t) {
    if (trains) use_equal_share(worker, 1, rounds);
    repeat(worker, worker.fabric.world(), rounds, [&](std::int64_t round) {
      if (trains) {
        push_and_pull(worker, layout);
      } else {
        const double done = static_cast<double>(round + 1) / static_cast<double>(rounds);
        serve_round(worker, *part, order, done);
      }
    });
    broadcast_parts(worker, layout);
  });
}

}  // namespace

Strategy ps_sync_strategy() {
  return {.name = "ps-sync",
          .summary = "servers apply the mean of all workers' gradients",
          .source = "baseline of Ho et al., NIPS 2013",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .settings = kSettings,
          .check = check_parameter_server,
          .run = run_ps_sync};
}

}  // namespace epochcast
