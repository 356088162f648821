// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast {

enum class LearningRateKind { constant, cosine, multi_step };

/// The learning rate of each epoch of a training.
struct LearningRateSchedule {
  LearningRateKind kind = LearningRateKind::constant;
  double base = 0.1;                          ///< of epoch 0
  std::vector<std::int64_t> milestones = {};  ///< multi_step: epochs, in any order
  double decay = 0.1;                         ///< multi_step: factor of each milestone
  std::int64_t epochs = 1;                    ///< cosine: of the whole training, at least 1

  /// The learning rate of `epoch`, counted from 0.
  ///
  /// cosine: base (1 + cos(pi epoch / epochs)) / 2, down to 0 after the last epoch: Loshchilov &
  /// Hutter, SGDR (ICLR 2017), equation 5 without restarts and with a least rate of 0; PyTorch's
  /// CosineAnnealingLR with T_max = epochs.
  /// multi_step: base times `decay` for each milestone m <= epoch; PyTorch's MultiStepLR.
  [[nodiscard]] double at(std::int64_t epoch) const;
};

}  // namespace epochcast
