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

/// Times the batches of a rank that trains, of which training keeps nothing: in a row, and with an
/// exchange of gradients as often as the strategy exchanges. References must outlive it.
class BatchTimer {
 public:
  BatchTimer(Fabric& fabric,
             TrainingLearner& learner,
             const JobConfig& config,
             const Strategy& strategy);

  /// What batches take now. Collective over the workers that train. Exchanges are left out where
  /// five rounds take more than three seconds: beside what takes so long, nothing of a batch
  /// counts that differs from what was measured.
  [[nodiscard]] BatchTimings now();

 private:
  /// Of `rounds` rounds, the seconds of each batch.
  std::vector<double> exchanging(const Communicator& among, std::int64_t rounds);
  /// What `exchanging(among, 1)` takes the slowest of them.
  double round_s(const Communicator& among);
  std::vector<double> after_exchange();

  Fabric& fabric_;
  TrainingLearner& learner_;
  const JobConfig& config_;
  std::int64_t steps_;  ///< of a round: from one exchange to the next
};

}  // namespace epochcast::real
