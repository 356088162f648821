// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "real/data/data_source.hpp"
#include "real/torch/training_learner.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::tests {

using Samples = std::vector<std::int64_t>;

inline constexpr std::int64_t kBatch = 6;  ///< of each worker, where it does not matter

/// A short training of small-cnn on procedural images: a real strategy, LibTorch and MPI.
struct Trial {
  std::string strategy = "sync";
  std::vector<WorkerInfo> workers;  ///< the first ranks of the job; the others take no part
  JobConfig config = {};
  std::int64_t train_samples = 100;
  /// What the strategy takes for measured; see Progress::memory.
  std::map<std::string, std::vector<double>> memory = {};
  /// By rank: a piece of work (forward, backward, step) takes so many seconds longer.
  std::map<int, double> delay_s = {};
  bool is_start_equal = true;  ///< else every rank's parameters are others before training
};

/// What came of it, the same on every rank of MPI_COMM_WORLD.
struct Outcome {
  std::vector<float> start;                    ///< parameters before training
  std::vector<std::vector<float>> parameters;  ///< after it, by rank of those that train
  std::vector<std::vector<Samples>> samples;   ///< by epoch and rank, in the order of loading
  std::vector<std::map<std::int64_t, float>> losses;  ///< by epoch: the latest of each sample
  std::vector<std::int64_t> batches;                  ///< by rank, in the last epoch
  std::int64_t buckets = 0;                           ///< into which a worker's gradients are cut

  /// What all workers loaded in an epoch.
  [[nodiscard]] Samples all_samples(std::size_t epoch) const;
};

/// A trial in which everybody has `batch` samples a step: SGD with momentum, two epochs, no
/// augmentation.
[[nodiscard]] Trial trial_of(const std::string& strategy,
                             std::vector<WorkerInfo> workers,
                             std::int64_t batch);

/// One worker per entry, on that node, all of them alike.
[[nodiscard]] std::vector<WorkerInfo> alike_on(const std::vector<int>& node_of_rank);
/// So many workers on one node.
[[nodiscard]] std::vector<WorkerInfo> alike(int workers);

/// What a trial trains on and how: for who wants to do the same in another way.
[[nodiscard]] std::unique_ptr<real::DataSource> training_data(const Trial& trial);
[[nodiscard]] real::LearnerSettings learner_settings(const Trial& trial);

/// Runs it. Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_trial(const Trial& trial);

}  // namespace epochcast::tests
