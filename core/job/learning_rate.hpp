// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast {

enum class LearningRateKind { constant, cosine, multi_step };

/// The learning rate of each step of a training.
struct LearningRateSchedule {
  LearningRateKind kind = LearningRateKind::constant;
  double base = 0.1;                          ///< of epoch 0
  std::vector<std::int64_t> milestones = {};  ///< multi_step: epochs, in any order
  double decay = 0.1;                         ///< multi_step: factor of each milestone
  std::int64_t epochs = 1;                    ///< cosine: of the whole training, at least 1
  double final_share = 0;                     ///< cosine: of the base, after the last epoch
  double warmup = 0;        ///< epochs, at the beginning, in which the rate rises from 0
  bool is_by_step = false;  ///< changes with every step rather than with every epoch

  /// The learning rate of a step of `epoch`, counted from 0, that began when `before` of the
  /// epoch's steps had been made, and after which `after` of them have: 0 <= before < after <= 1.
  ///
  /// With t = epoch, or epoch + before by step, less the warm-up, and T = epochs less the warm-up:
  /// cosine: final + (base - final) (1 + cos(pi t / T)) / 2: Loshchilov & Hutter, SGDR (ICLR 2017),
  /// equation 5 without restarts; PyTorch's CosineAnnealingLR with T_max = T, by epoch. multi_step:
  /// base times `decay` for each milestone m <= epoch; PyTorch's MultiStepLR. Until the warm-up is
  /// over, times (epoch + after) / warmup, by step (Goyal et al., arXiv 1706.02677, section 2.2:
  /// from a step's share of the base to all of it).
  [[nodiscard]] double at(std::int64_t epoch, double before = 0, double after = 1) const;
  /// The learning rate that `epoch` begins with, without the factor of the warm-up.
  [[nodiscard]] double without_warmup(std::int64_t epoch) const;
};

}  // namespace epochcast
