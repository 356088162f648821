// SPDX-License-Identifier: Apache-2.0
// What local SGD, unbalanced and biased local SGD share: how many steps each worker makes between
// averagings.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {

/// --local-steps: H of the fastest workers, and what was said of others by hand.
struct StepsGiven {
  std::int64_t fastest = 32;
  std::map<std::string, std::int64_t> by_class;  ///< "fast", "slow", a device class or a model
};
[[nodiscard]] StepsGiven steps_given(const JobConfig& config);

/// H as `tune` chooses it, and the setting alone.
extern const Period kLocalStepsPeriod;
[[nodiscard]] const StrategySetting& local_steps_setting();
/// Throws a UserError when --local-steps speaks of neither fast and slow workers nor one of these
/// devices.
void check_local_steps(const JobConfig& config, const DeviceNames& devices);

/// Who counts as fast, and how many steps everybody makes between averagings.
struct LocalSteps {
  std::vector<bool> is_fast;         ///< by rank
  std::vector<std::int64_t> steps;   ///< H_p by rank
  std::vector<std::int64_t> begins;  ///< of the steps, when they lie one after the other
  std::vector<std::int64_t> before;  ///< by rank: steps of lower ranks of its class
  std::int64_t fast = 0;             ///< steps of all fast workers
  std::int64_t slow = 0;             ///< of all others
  std::int64_t most = 0;             ///< of one worker

  [[nodiscard]] std::int64_t total() const { return fast + slow; }
};

/// H_p = max(1, ⌊H·t_min/t_p⌋) on what everybody's batches take now, unless set by hand
/// (arXiv 2508.08540).
[[nodiscard]] std::shared_ptr<const LocalSteps> unbalanced_steps(Worker& worker);

/// This worker's samples when everybody takes H_p·B in turn, round by round.
[[nodiscard]] Share share_of(const Worker& worker, const LocalSteps& local, std::int64_t rounds);

/// One epoch: T rounds of local steps and a weighted average of parameters.
void run_rounds(Worker& worker, std::int64_t rounds, std::int64_t steps, double weight);

/// What the worker's report says of an epoch. `most_steps`: of the fastest worker in a round.
void report_rounds(Worker& worker,
                   std::int64_t rounds,
                   std::int64_t steps,
                   std::int64_t most_steps);

}  // namespace epochcast
