// SPDX-License-Identifier: Apache-2.0
#include "tests/robustness/random_jobs.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics/random.hpp"
#include "collectives/registry.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/strategy.hpp"
#include "tests/robustness/dice.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

/// Nodes of one device each, of two kinds.
Platform single_devices(Dice& dice) {
  Platform platform = plain_star(dice.between(1, 3),
                                 {dice.magnitude(1e7, 1e10), dice.magnitude(1e-7, 1e-4)},
                                 dice.chance(0.5) ? 0 : 1e-10);
  NodeGroup cpus = platform.nodes.front();
  cpus.name = "others";
  cpus.count = dice.between(1, 3);
  cpus.devices.front().device_class = "cpu";
  cpus.devices.front().model = "cpu-a";
  platform.nodes.push_back(cpus);
  return platform;
}

Platform small_platform(Dice& dice) {
  if (dice.chance(0.4)) return single_devices(dice);
  const auto interconnect = dice.one_of({pcie(), pcie_with_backbone(), nvlink(), shared_memory()});
  const int gpus = dice.between(1, 2);
  const int cpus = dice.between(1, 2);
  if (dice.chance(0.3)) return mixed(1, gpus + 1, cpus, interconnect, nullptr);
  const auto network = dice.one_of({star(), fat_tree(), torus(), dragonfly()});
  return mixed(2, gpus, cpus - 1, interconnect, network);
}

double random_seconds(Dice& dice) {
  return dice.chance(0.5) ? 1e-3 * static_cast<double>(dice.between(1, 9))
                          : dice.magnitude(1e-5, 1e-1);
}

/// Costs that grow by the sample, by less, or not at all.
std::vector<BatchSamples> random_costs(Dice& dice) {
  const double fixed_s = dice.chance(0.5) ? 0 : random_seconds(dice);
  const double sample_s = fixed_s > 0 && dice.chance(0.2) ? 0 : random_seconds(dice) / 8;
  std::vector<BatchSamples> costs;
  for (std::int64_t batch = dice.between(1, 8); costs.size() < 3; batch *= dice.between(2, 5)) {
    costs.push_back({.batch = batch,
                     .total_s = {fixed_s + sample_s * static_cast<double>(batch)},
                     .load_s = {},
                     .forward_s = {},
                     .backward_s = {},
                     .step_s = {}});
  }
  return costs;
}

void choose_settings(Dice& dice, JobConfig& config, std::int64_t iterations) {
  const auto algorithms = all_reduce_names();
  config.all_reduce =
      algorithms[static_cast<std::size_t>(dice.between(0, static_cast<int>(algorithms.size()) - 1))]
          .name;
  config.overlap = dice.one_of({Overlap::none, Overlap::bucket});
  set(config, "partition", std::string(dice.one_of({"constant", "functional"})));
  set(config, "sampling", std::string(dice.one_of({"none", "separated", "unified"})));
  set(config, "weighted-aggregation", show_switch(dice.chance(0.5)));
  config.bucket_bytes = dice.magnitude(1e4, 1e7);
  config.first_bucket_bytes = dice.magnitude(1e4, 1e6);
  set(config, "partition-bytes", shortest(dice.magnitude(1e5, 1e7)) + "B");
  std::string steps = std::to_string(dice.between(1, 4));
  if (dice.chance(0.3)) steps += ",cpu=" + std::to_string(dice.between(1, 3));
  set(config, "local-steps", steps);
  config.of_strategies.erase("averaging-period");
  if (dice.chance(0.7)) set(config, "averaging-period", dice.between(1, iterations));
  if (dice.chance(0.2)) {
    config.exchange_seconds = {{"all", random_seconds(dice)}, {"node", random_seconds(dice)}};
  }
}

}  // namespace

Run small_run(std::uint64_t seed) {
  Dice dice(seed);
  const Platform platform = small_platform(dice);
  Job job = job_on(platform, 0);
  job.config.batch = dice.chance(0.5) ? dice.between(1, 33) : 8;
  job.config.epochs = dice.chance(0.2) ? dice.between(13, 70) : dice.between(1, 12);
  // As many messages as can be simulated one by one in a short time.
  const std::int64_t iterations =
      dice.between(1, std::max<std::int64_t>(3, 120 / job.config.epochs));
  std::int64_t devices = 0;
  for (const NodeGroup& group : platform.nodes) {
    for (const DeviceGroup& device : group.devices) devices += group.count * device.count;
  }
  job.dataset.train_samples =
      iterations * devices * job.config.batch + dice.between(0, devices * job.config.batch - 1);
  for (Layer& layer : job.network.layers)
    layer.parameters = static_cast<std::int64_t>(dice.magnitude(1e2, 1e6));
  for (CostTrace& trace : job.traces) trace.batches = random_costs(dice);
  if (dice.chance(0.2)) job = with_workers(job, 2, 1);
  choose_settings(dice, job.config, iterations);
  const auto all = strategies();
  // Every third case is the one strategy whose epochs differ.
  const auto any = static_cast<std::size_t>(dice.between(0, static_cast<int>(all.size()) - 1));
  const bool is_dlb = dice.chance(0.3) || depends_on_arrivals(all[any]);
  const std::string strategy = is_dlb ? "dlb" : std::string(all[any].name);
  if (refuses_overlap(job, strategy)) job.config.overlap = Overlap::none;
  return {std::move(job), strategy};
}

Job with_heavy_tails(Job job, std::uint64_t seed) {
  constexpr int kSamples = 200;
  constexpr double kShape = 1.5;
  Random random(mix_seed(seed, 1));
  for (CostTrace& trace : job.traces) {
    for (BatchSamples& samples : trace.batches) {
      const double least_s = samples.total_s.front();
      samples.total_s = {least_s};
      for (int i = 1; i < kSamples; ++i)
        samples.total_s.push_back(least_s * std::pow(1 - random.uniform(), -1 / kShape));
    }
  }
  job.dataset.train_samples *= 40;
  job.config.deterministic = false;
  return job;
}

}  // namespace epochcast::tests
