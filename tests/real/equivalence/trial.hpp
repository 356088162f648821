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

inline constexpr std::int64_t kBatch = 6;  ///< of each worker, if its value does not matter

/// A short training of small-cnn on procedural images: a real strategy, LibTorch and MPI.
struct Trial {
  std::string strategy = "sync";
  std::vector<WorkerInfo> workers;  ///< the first ranks of the job; the others are idle
  JobConfig config = {};
  std::int64_t train_samples = 100;
  /// Values that the strategy uses as measurements; see Progress::memory.
  std::map<std::string, std::vector<double>> memory = {};
  /// By rank: seconds added to each piece of work (forward, backward, step).
  std::map<int, double> delay_s = {};
  bool is_start_equal = true;  ///< else parameters differ between ranks before training
};

/// The result, the same on every rank of MPI_COMM_WORLD.
struct Outcome {
  std::vector<float> start;                    ///< parameters before training
  std::vector<std::vector<float>> parameters;  ///< after it, by rank of those that train
  std::vector<std::vector<Samples>> samples;   ///< by epoch and rank, in the order of loading
  std::vector<std::map<std::int64_t, float>> losses;  ///< by epoch: the latest of each sample
  std::vector<std::int64_t> batches;                  ///< by rank, in the last epoch
  std::int64_t buckets = 0;                           ///< number of parts of a worker's gradients

  /// The samples that all workers loaded in an epoch.
  [[nodiscard]] Samples all_samples(std::size_t epoch) const;
};

/// A trial in which all workers have `batch` samples a step: SGD with momentum, two epochs, no
/// augmentation.
[[nodiscard]] Trial trial_of(const std::string& strategy,
                             std::vector<WorkerInfo> workers,
                             std::int64_t batch);

/// One worker per entry, on that node, all of them alike.
[[nodiscard]] std::vector<WorkerInfo> alike_on(const std::vector<int>& node_of_rank);
/// This number of workers on one node.
[[nodiscard]] std::vector<WorkerInfo> alike(int workers);

/// The data and settings of a trial, for other implementations of the training.
[[nodiscard]] std::unique_ptr<real::DataSource> training_data(const Trial& trial);
[[nodiscard]] real::LearnerSettings learner_settings(const Trial& trial);

/// Runs it. Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_trial(const Trial& trial);

}  // namespace epochcast::tests
