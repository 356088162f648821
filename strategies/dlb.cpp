// SPDX-License-Identifier: Apache-2.0
// Dynamic load balancing (IEEE TETCI 2023): synchronous SGD whose batches follow the throughput
// that each worker showed in the last epoch.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/partition.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf<std::int64_t> kLeastBatch(
    "least-batch",
    "SAMPLES",
    "dlb: batch that every worker keeps; 0: a worker may end without any, for good",
    "1",
    "0",
    [](const std::string& text) { return parse_count(text, 0); },
    [](const std::int64_t& value) { return std::to_string(value); });

constexpr std::array<const StrategySetting*, 1> kSettings = {&kLeastBatch};

/// Batches that sum to the global one and follow what every worker got done in a second: x_p of the
/// paper.
///
/// A reading: every worker keeps `least` samples. Of one that has none, no throughput can be
/// observed, so it would never return.
std::vector<double> balanced(std::int64_t global_batch,
                             std::int64_t least,
                             const std::vector<double>& throughputs) {
  std::vector<std::int64_t> batches = proportional_shares(global_batch, throughputs);
  for (std::int64_t& batch : batches) {
    while (batch < least) {
      ++batch;
      --*std::max_element(batches.begin(), batches.end());
    }
  }
  return {batches.begin(), batches.end()};
}

/// Where every worker's batch begins in the global one.
std::vector<std::int64_t> begins(const std::vector<double>& batches) {
  std::vector<std::int64_t> whole;
  whole.reserve(batches.size());
  for (const double batch : batches) whole.push_back(std::llround(batch));
  return begins_of(whole);
}

void run_dlb(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const auto rank = static_cast<std::size_t>(fabric.rank());
  const std::int64_t global_batch = worker.config.step_batch() * trainer_count(fabric);
  const std::int64_t least_batch = kLeastBatch.of(worker.config);
  if (least_batch > worker.config.step_batch()) {
    throw UserError("--least-batch: got " + std::to_string(least_batch) +
                    "; workers begin with --batch " + std::to_string(worker.config.step_batch()));
  }
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, global_batch);
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;

  train_epochs(worker, [&](std::int64_t) {
    const SharedNumbers batches = worker.progress.memory["batches"];
    std::int64_t batch = worker.config.step_batch();
    std::int64_t first = fabric.rank() * batch;
    if (!batches.values().empty()) {
      const auto places = batches.follow(begins);
      first = (*places)[rank];
      batch = (*places)[rank + 1] - first;
    }
    worker.report.batch = batch;
    worker.report.samples_per_epoch = batch * iterations;
    worker.learner.use_shuffled(
        {.offset = first, .length = batch, .stride = global_batch, .count = iterations});
    const double busy_before_s = fabric.phases().compute_s;
    const std::int64_t run = repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
      const double weight = static_cast<double>(batch) / static_cast<double>(global_batch);
      all_reduce_gradients(worker, batch, weight, fabric.world());
      worker.learner.step();
    });
    const double busy_s = fabric.phases().compute_s - busy_before_s;
    const double throughput = batch > 0 ? static_cast<double>(batch * run) / busy_s : 0;
    const SharedNumbers throughputs = fabric.all_gather({&throughput, 1}, fabric.world());
    const SharedNumbers next =
        *throughputs.follow([&](const std::vector<double>& all) -> SharedNumbers {
          return balanced(global_batch, least_batch, all);
        });
    if (std::llround(next.values()[rank]) != batch) fabric.announce_change();
    worker.progress.memory["batches"] = next;
  });
}

}  // namespace

Strategy dlb_strategy() {
  return {.name = "dlb",
          .summary = "sync, batches rebalanced after every epoch",
          .source = "IEEE TETCI 2023",
          .divides_by_speed = true,
          .settings = kSettings,
          .run = run_dlb};
}

}  // namespace epochcast
