// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "strategies/strategy.hpp"
#include "tests/support/fake_fabric.hpp"
#include "tests/support/recording_learner.hpp"

namespace epochcast::tests {

/// A job for one strategy on the fake fabric.
struct StrategyJob {
  std::vector<WorkerInfo> workers;
  JobConfig config;
  std::int64_t train_samples = 0;
  TestWork work;
  ExchangeCost cost;
  /// Progress::position() of the job that this one resumes; empty: none.
  std::vector<std::int64_t> resumed_at = {};
};

/// The calls of every worker, by rank.
struct StrategyRun {
  std::vector<WorkerReport> reports;
  std::vector<LearnerLog> learners;
  FakeRun fabric;

  /// This worker's all-reduces of that many bytes: kGradientBytes, kParameterBytes.
  [[nodiscard]] std::vector<FakeCall> all_reduces(int rank, double bytes) const;
};

constexpr double kGradientBytes = 4.0 * RecordingLearner::kGradients;
constexpr double kParameterBytes = 4.0 * RecordingLearner::kParameters;

/// A configuration for few epochs of small batches.
[[nodiscard]] JobConfig small_config(std::int64_t batch, std::int64_t epochs);

/// Runs the strategy of that name on every worker.
[[nodiscard]] StrategyRun run_strategy(std::string_view name, const StrategyJob& job);

/// GPUs and CPUs on one node: rank r is a "gpu-a" if `is_fast[r]`, else a "cpu-a".
[[nodiscard]] std::vector<WorkerInfo> fast_and_slow(const std::vector<bool>& is_fast);

/// Batches that take `seconds_per_sample[rank]` per sample.
[[nodiscard]] TestWork proportional_work(std::vector<double> seconds_per_sample);

}  // namespace epochcast::tests
