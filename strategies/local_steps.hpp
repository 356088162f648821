// SPDX-License-Identifier: Apache-2.0
// Shared by local, unbalanced and biased local SGD: the steps of each worker between averagings.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {

/// --local-steps: H of the fastest workers, and the steps set for others.
struct StepsGiven {
  std::int64_t fastest = 32;
  std::map<std::string, std::int64_t> by_class;  ///< "fast", "slow", a device class or a model
};
[[nodiscard]] StepsGiven steps_given(const JobConfig& config);

/// H as a Period for `tune`, and its setting.
extern const Period kLocalStepsPeriod;
[[nodiscard]] const StrategySetting& local_steps_setting();
/// Throws a UserError when --local-steps names anything but "fast", "slow" and these devices.
void check_local_steps(const JobConfig& config, const DeviceNames& devices);

/// The fast workers, and the steps of each worker between averagings.
struct LocalSteps {
  std::vector<bool> is_fast;         ///< by rank
  std::vector<std::int64_t> steps;   ///< H_p by rank
  std::vector<std::int64_t> begins;  ///< of the steps, when they are put one after the other
  std::vector<std::int64_t> before;  ///< by rank: steps of lower ranks of its class
  std::int64_t fast = 0;             ///< steps of all fast workers
  std::int64_t slow = 0;             ///< of all others
  std::int64_t most = 0;             ///< of one worker

  [[nodiscard]] std::int64_t total() const { return fast + slow; }
};

/// H_p = max(1, ⌊H·t_min/t_p⌋) by a benchmark of all workers, unless set (arXiv 2508.08540).
[[nodiscard]] std::shared_ptr<const LocalSteps> unbalanced_steps(Worker& worker);

/// This worker's samples if workers take H_p·B samples in turn, round by round.
[[nodiscard]] Share share_of(const Worker& worker, const LocalSteps& local, std::int64_t rounds);

/// One epoch: T rounds of local steps and a weighted average of parameters.
void run_rounds(Worker& worker, std::int64_t rounds, std::int64_t steps, double weight);

/// Adds an epoch to the worker's report. `most_steps`: of the fastest worker in a round.
void report_rounds(Worker& worker,
                   std::int64_t rounds,
                   std::int64_t steps,
                   std::int64_t most_steps);

}  // namespace epochcast
