// SPDX-License-Identifier: Apache-2.0
// ZeRO, stages 1 and 2 (Rajbhandari et al., SC 2020, arXiv 1910.02054): a reduce-scatter leaves
// each worker the mean gradient of its own shard of the parameters, which it alone updates; an
// all-gather gives all workers all of them. Stage 1 divides the optimizer's state among the
// workers, stage 2 also the gradients; both send the same.
#include <array>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/shards.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kStage(
    "zero-stage",
    "1|2",
    "zero: workers share the optimizer's state (1), and gradients (2)",
    "1",
    "2",
    value::SmallCount{1, 2});

constexpr std::array<const StrategySetting*, 1> kSettings = {&kStage};

void run_zero(Worker& worker) {
  Fabric& fabric = worker.fabric;
  Learner& learner = worker.learner;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = fabric.world().size();
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;

  // Without overlap, all gradients are one bucket. Each is divided among all workers: a worker's
  // shard has a part of each.
  const bool overlaps = worker.config.overlap != Overlap::none;
  const std::vector<Payload> buckets =
      overlaps ? learner.buckets() : std::vector<Payload>{learner.gradients()};
  const std::vector<std::int64_t> begins = begins_of_buckets(buckets);
  std::vector<Request> on_the_way;
  const auto wait = [&] {
    for (const Request& request : on_the_way) fabric.wait(request);
    on_the_way.clear();
  };
  const auto start_sum = [&](const Payload& bucket) {
    on_the_way.push_back(fabric.start_reduce_scatter(
        bucket, shard_of(bucket, fabric.world(), fabric.rank()), 1.0 / workers, fabric.world()));
  };
  const auto sum_gradients = [&] {
    if (overlaps) {
      learner.forward_backward(batch, start_sum);
    } else {
      learner.forward_backward(batch);
      start_sum(learner.gradients());
    }
    wait();
  };
  const auto update = [&] {
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const Shard own = shard_of(buckets[i].count, workers, fabric.rank());
      learner.step_part(begins[i] + own.begin, own.count, i + 1 == buckets.size());
    }
    const Payload parameters = learner.parameters();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const Payload part = slice(parameters, begins[i], buckets[i].count);
      on_the_way.push_back(fabric.start_all_gather(
          shard_of(part, fabric.world(), fabric.rank()), part, fabric.world()));
    }
    wait();
  };
  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, 1, iterations);
    repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
      sum_gradients();
      update();
    });
  });
}

StateShares shares(const JobConfig& config, std::span<const WorkerInfo> workers) {
  const double own = 1.0 / static_cast<double>(workers.size());
  return {.gradients = kStage.of(config) == 2 ? own : 1, .optimizer = own};
}

/// Only the shard's gradients are known at a step.
void check(const JobConfig& config, const DeviceNames&) {
  if (config.learning.clip_norm)
    throw UserError("--clip-norm: zero has no worker that knows all gradients; use sync");
}

}  // namespace

Strategy zero_strategy() {
  return {.name = "zero",
          .summary = "sync with the optimizer's state in shards (--zero-stage)",
          .source = "Rajbhandari et al., SC 2020",
          .compressed = {},
          .settings = kSettings,
          .state_shares = shares,
          .check = check,
          .run = run_zero};
}

}  // namespace epochcast
