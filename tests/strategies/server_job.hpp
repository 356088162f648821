// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/job/job_config.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {

constexpr std::int64_t kServedBatch = 4;

/// Workers whose batches take so many seconds, and servers; so many batches an epoch, and three
/// samples more. Two epochs.
inline StrategyJob served_job(const std::vector<double>& batch_s,
                              int servers,
                              std::int64_t batches) {
  StrategyJob job = {.workers = workers_on(std::vector<int>(batch_s.size() + servers, 0)),
                     .config = small_config(kServedBatch, 2),
                     .train_samples = batches * kServedBatch + 3,
                     .work = {},
                     .cost = {}};
  for (std::size_t rank = batch_s.size(); rank < job.workers.size(); ++rank)
    job.workers[rank].role = Role::sums;
  job.work.batch_s = [batch_s](int rank, std::int64_t) {
    return batch_s.at(static_cast<std::size_t>(rank));
  };
  return job;
}

/// The same with one setting.
inline StrategyJob with(StrategyJob job, const char* name, const std::string& value) {
  set(job.config, name, value);
  return job;
}

/// The sum of a report's staleness counts.
inline std::int64_t updates_in(const WorkerReport& report) {
  std::int64_t updates = 0;
  for (const std::int64_t count : report.updates_by_staleness) updates += count;
  return updates;
}

}  // namespace epochcast::tests
