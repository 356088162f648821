// SPDX-License-Identifier: Apache-2.0
// ZeRO, stages 1 and 2 (Rajbhandari et al., SC 2020, arXiv 1910.02054): a reduce-scatter leaves
// each worker the mean gradient of its own shard of the parameters, which it alone updates; an
// all-gather gives everybody all of them. Stage 1 divides the optimizer's state among the workers,
// stage 2 also the gradients; both send the same.
#include <algorithm>
#include <array>

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

/// The sum of a bucket: each member gets the part of it that is in its shard.
Request start_sum(
    Fabric& fabric, const Payload& bucket, std::int64_t begin, const Shard& own, double weight) {
  const std::int64_t first = std::max(begin, own.begin);
  const std::int64_t last = std::min(begin + bucket.count, own.end());
  const Payload mine =
      first < last ? slice(bucket, first - begin, last - first) : slice(bucket, 0, 0);
  return fabric.start_reduce_scatter(bucket, mine, weight, fabric.world());
}

void run_zero(Worker& worker) {
  Fabric& fabric = worker.fabric;
  Learner& learner = worker.learner;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = fabric.world().size();
  const double weight = 1.0 / workers;
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;
  const Shard own = shard_of(learner.gradients().count, workers, fabric.rank());

  const auto sum_gradients = [&] {
    if (worker.config.overlap == Overlap::none) {
      learner.forward_backward(batch);
      fabric.wait(start_sum(fabric, learner.gradients(), 0, own, weight));
      return;
    }
    std::vector<Request> on_the_way;
    std::int64_t begin = learner.gradients().count;
    learner.forward_backward(batch, [&](const Payload& bucket) {
      begin -= bucket.count;
      on_the_way.push_back(start_sum(fabric, bucket, begin, own, weight));
    });
    for (const Request& request : on_the_way) fabric.wait(request);
  };
  const auto update = [&] {
    learner.step_part(own.begin, own.count, true);
    const Payload parameters = slice(learner.parameters(), 0, learner.gradients().count);
    fabric.all_gather(slice(parameters, own.begin, own.count), parameters, fabric.world());
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
