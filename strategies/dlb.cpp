// SPDX-License-Identifier: Apache-2.0
// Dynamic load balancing (IEEE TETCI 2023): synchronous SGD whose batches are proportional to the
// throughput of each worker in the last epoch. Workers that are too slow for a sample leave.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/partition.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kLeastBatch(
    "least-batch",
    "SAMPLES",
    "dlb: a worker too slow for so many, beside --batch on the fastest, leaves; 0: none does",
    "1",
    "0",
    value::Count{0});

constexpr std::array<const StrategySetting*, 1> kSettings = {&kLeastBatch};

constexpr double kSlow = 2;  // workers below this multiple of the fastest one's time never leave

/// Whether a worker of this throughput stays: it trains on at least `least` samples in the time of
/// --batch samples on the fastest worker. Workers that have left have no throughput.
bool stays(double throughput, double fastest, std::int64_t batch, std::int64_t least) {
  if (throughput <= 0) return false;
  return throughput * kSlow > fastest ||
         static_cast<double>(batch) * throughput >= static_cast<double>(least) * fastest;
}

/// Batches proportional to the throughput of every worker: x_p of the paper. Workers that stay
/// divide --batch times their number, each at least `least` and one sample.
///
/// Our interpretation: the joint batch shrinks when a worker leaves. Every time that arXiv
/// 2508.08540 prints for its servers is that of the GPUs alone with their own batches.
std::vector<double> balanced(std::int64_t batch,
                             std::int64_t least,
                             const std::vector<double>& throughputs) {
  const double fastest = *std::max_element(throughputs.begin(), throughputs.end());
  std::vector<double> staying;
  for (const double throughput : throughputs) {
    if (stays(throughput, fastest, batch, least)) staying.push_back(throughput);
  }
  std::vector<std::int64_t> shares =
      proportional_shares(batch * static_cast<std::int64_t>(staying.size()), staying);
  for (std::int64_t& share : shares) {
    while (share < std::max<std::int64_t>(1, least)) {
      ++share;
      --*std::max_element(shares.begin(), shares.end());
    }
  }
  std::vector<double> batches(throughputs.size());
  auto next = shares.begin();
  for (std::size_t p = 0; p < batches.size(); ++p) {
    if (stays(throughputs[p], fastest, batch, least)) batches[p] = static_cast<double>(*next++);
  }
  return batches;
}

/// How an iteration is divided.
struct Division {
  std::vector<std::int64_t> begins;  ///< of the batches in the joint one, and its end
  std::vector<int> ranks;            ///< that have samples
};

Division division_of(const std::vector<double>& batches) {
  std::vector<std::int64_t> whole;
  Division division;
  for (const double batch : batches) {
    if (batch > 0) division.ranks.push_back(static_cast<int>(whole.size()));
    whole.push_back(std::llround(batch));
  }
  division.begins = begins_of(whole);
  return division;
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
    std::int64_t joint_batch = global_batch;
    int first_rank = 0;  // of those that stay
    const Communicator* among = &fabric.world();
    if (!batches.values().empty()) {
      const auto division = batches.follow(division_of);
      first = division->begins[rank];
      batch = division->begins[rank + 1] - first;
      joint_batch = division->begins.back();
      first_rank = division->ranks.front();
      if (batch > 0 && division->ranks.size() < fabric.world().ranks.size())
        among = &fabric.communicator(division->ranks, fabric.world().all_reduce);
    }
    worker.report.batch = batch;
    worker.report.samples_per_epoch = batch * iterations;
    worker.learner.use_shuffled(
        {.offset = first, .length = batch, .stride = joint_batch, .count = iterations});
    const double busy_before_s = fabric.phases().compute_s;
    const std::int64_t run = repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
      if (batch == 0) return;
      const double weight = static_cast<double>(batch) / static_cast<double>(joint_batch);
      all_reduce_gradients(worker, batch, weight, *among);
      worker.learner.step();
    });
    // The job's result is rank 0's model.
    if (first_rank != 0) fabric.broadcast(worker.learner.parameters(), first_rank, fabric.world());
    const double busy_s = fabric.phases().compute_s - busy_before_s;
    // A job resumed at the end of an epoch has no computing time yet.
    const double throughput = run > 0 && batch > 0 ? static_cast<double>(batch * run) / busy_s
                                                   : static_cast<double>(batch);
    const SharedNumbers throughputs = fabric.all_gather_numbers({&throughput, 1}, fabric.world());
    const SharedNumbers next =
        *throughputs.follow([&](const std::vector<double>& all) -> SharedNumbers {
          return balanced(worker.config.step_batch(), least_batch, all);
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
