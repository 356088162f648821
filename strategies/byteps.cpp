// SPDX-License-Identifier: Apache-2.0
// BytePS (Jiang et al., OSDI 2020): the GPUs of a node sum gradients in partitions and push them,
// CPUs add those of nodes, GPUs pull the sums; the push of one partition overlaps the pull of
// another. See PushPull.
#include <array>

#include "core/job/setting_value.hpp"
#include "strategies/server_settings.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kPartitionBytes("partition-bytes",
                                            "SIZE",
                                            "byteps: largest piece pushed at once",
                                            "4096000B",
                                            "12345B",
                                            value::Size{});

constexpr std::array<const StrategySetting*, 2> kSettings = {&kPartitionBytes, &kServers};

void run_byteps(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const bool trains = fabric.self().role == Role::trains;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  worker.report.batch = trains ? batch : 0;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = worker.report.batch * iterations;

  const Communicator& all_ranks =
      fabric.communicator(fabric.world().ranks,
                          {.algorithm = "push-pull",
                           .servers = fabric.world().size() - workers,
                           .partition_bytes = kPartitionBytes.of(worker.config)});

  train_epochs(worker, [&](std::int64_t) {
    if (trains) use_equal_share(worker, 1, iterations);
    repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
      all_reduce_gradients(worker, batch, trains ? 1.0 / workers : 0.0, all_ranks);
      if (trains) worker.learner.step();
    });
  });
}

}  // namespace

Strategy byteps_strategy() {
  return {.name = "byteps",
          .summary = "CPUs sum the gradients that the other devices push (--partition-bytes)",
          .source = "Jiang et al., OSDI 2020",
          .participants = Participants::workers_and_servers,
          .compressed = {},
          .settings = kSettings,
          .run = run_byteps};
}

}  // namespace epochcast
