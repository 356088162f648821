// SPDX-License-Identifier: Apache-2.0
// Shared by local, unbalanced and biased local SGD: the steps of each worker between averagings.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strategies/period_rule.hpp"
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
/// Throws a UserError when --local-steps names anything but "fast", "slow" and these devices, or
/// names any with a --period-rule.
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

/// The rounds of local SGD whose workers make unequal steps, by epoch.
class UnequalRounds {
 public:
  /// Measures the workers' speeds.
  explicit UnequalRounds(Worker& worker);

  /// H_p = max(1, ⌊H·t_min/t_p⌋) by a benchmark of all workers, unless set (arXiv 2508.08540).
  [[nodiscard]] std::shared_ptr<const LocalSteps> steps(std::int64_t epoch) const;
  [[nodiscard]] std::int64_t count(std::int64_t epoch) const;
  /// As in Periods.
  [[nodiscard]] std::vector<std::int64_t> changes() const { return periods_.changes(); }
  void end_epoch(std::int64_t epoch) const { periods_.end_epoch(epoch); }
  /// Adds a mean epoch to the worker's report.
  void report() const;
  /// One epoch: rounds of this worker's steps and a weighted average of parameters.
  void run(std::int64_t epoch, double weight) const;

 private:
  Worker& worker_;
  SharedNumbers seconds_;  ///< of a batch, by rank
  std::int64_t steps_;     ///< of an epoch
  Periods periods_;
};

/// This worker's samples if workers take H_p·B samples in turn, round by round.
[[nodiscard]] Share share_of(const Worker& worker, const LocalSteps& local, std::int64_t rounds);

/// The limits of equal local steps. Throws a UserError if an epoch has not as many as
/// --local-steps.
[[nodiscard]] Periods::Limits equal_steps(const Worker& worker);
/// Deals an epoch's samples to workers that make equal steps.
void use_rounds(Worker& worker, const Rounds& rounds);
/// One epoch of equal steps: rounds of local steps, and a plain average of parameters after each.
void run_rounds(Worker& worker, const Rounds& rounds);
/// Adds a mean epoch of these to the worker's report.
void report_rounds(Worker& worker, const Periods& periods);

}  // namespace epochcast
