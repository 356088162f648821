// SPDX-License-Identifier: Apache-2.0
#include "tests/support/strategy_run.hpp"

#include <utility>

namespace epochcast::tests {

std::vector<FakeCall> StrategyRun::all_reduces(int rank, double bytes) const {
  std::vector<FakeCall> found;
  for (FakeCall& call : fabric.of(rank, "all_reduce")) {
    if (call.bytes == bytes) found.push_back(std::move(call));
  }
  return found;
}

JobConfig small_config(std::int64_t batch, std::int64_t epochs) {
  JobConfig config;
  config.batch = batch;
  config.epochs = epochs;
  return config;
}

StrategyRun run_strategy(std::string_view name, const StrategyJob& job) {
  const Strategy& strategy = find_strategy(name);
  StrategyRun run;
  run.reports.resize(job.workers.size());
  run.learners.resize(job.workers.size());
  const auto program = [&](Fabric& fabric) {
    const auto rank = static_cast<std::size_t>(fabric.rank());
    RecordingLearner learner(fabric, job.work, run.learners[rank]);
    Worker worker = {.fabric = fabric,
                     .learner = learner,
                     .sampling = learner,
                     .config = job.config,
                     .train_samples = job.train_samples,
                     .report = {}};
    if (!job.resumed_at.empty()) worker.progress.resume_at(job.resumed_at, "test");
    strategy.run(worker);
    run.reports[rank] = worker.report;
  };
  run.fabric = run_workers(job.workers, program, job.cost);
  return run;
}

std::vector<WorkerInfo> fast_and_slow(const std::vector<bool>& is_fast) {
  std::vector<WorkerInfo> workers = workers_on(std::vector<int>(is_fast.size(), 0));
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    if (is_fast[rank]) continue;
    workers[rank].device_class = "cpu";
    workers[rank].model = "cpu-a";
  }
  return workers;
}

TestWork proportional_work(std::vector<double> seconds_per_sample) {
  TestWork work;
  work.batch_s = [seconds = std::move(seconds_per_sample)](int rank, std::int64_t batch) {
    return seconds.at(static_cast<std::size_t>(rank)) * static_cast<double>(batch);
  };
  return work;
}

}  // namespace epochcast::tests
