// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/result.hpp"
#include "core/job/job_config.hpp"
#include "real/torch/training_learner.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::real {

/// Times the batches of a rank that trains, of which training keeps nothing. References must
/// outlive it.
class BatchTimer {
 public:
  BatchTimer(Fabric& fabric,
             TrainingLearner& learner,
             const JobConfig& config,
             const Strategy& strategy);

  /// What batches of --batch take in a row now.
  [[nodiscard]] BatchTimings now();
  /// What those of its own size take in a row, and as many as it has computed between exchanges of
  /// the strategy, with exchanges of gradients. Collective over the workers that train. Nothing
  /// where one of them has no samples, or where five rounds take more than three seconds: beside
  /// what takes so long, nothing of a batch counts that differs from what was measured.
  [[nodiscard]] ExchangingTimings exchanging(const WorkerReport& trained);

 private:
  /// From one exchange to the next.
  struct Round {
    std::int64_t batch;  ///< samples
    std::int64_t steps;
  };
  [[nodiscard]] Round round_of(const WorkerReport& trained) const;
  /// Of `count` rounds, the seconds of each batch.
  std::vector<double> rounds(const Round& round, std::int64_t count, const Communicator& among);
  /// What one round takes the slowest of them.
  double round_s(const Round& round, const Communicator& among);

  Fabric& fabric_;
  TrainingLearner& learner_;
  const JobConfig& config_;
  const Strategy& strategy_;
};

}  // namespace epochcast::real
