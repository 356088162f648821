// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include "core/job/loss.hpp"

namespace epochcast::real {

/// The loss of a batch.
struct BatchLoss {
  torch::Tensor loss;  ///< to be minimised: scalar, the mean over the batch
  /// Loss of each sample [batch], without gradient, for biased sampling.
  torch::Tensor sample_losses;
  /// The number of samples classified correctly, scalar; for tokens, the sum of each sample's
  /// share; NaN if nothing is classified.
  torch::Tensor correct;
  /// The losses of a GAN's two halves, scalars without gradient; undefined for other networks.
  torch::Tensor discriminator = {};
  torch::Tensor generator = {};
};

/// Whether a network's outputs correspond to the targets: equal sizes [batch, ...] except those
/// that are 1, or a row for each sample.
[[nodiscard]] bool are_alike(const torch::Tensor& outputs, const torch::Tensor& targets);

/// The loss of a network's outputs for a batch, all tensors on one device, in float32:
///
/// cross-entropy: scores [batch, classes], targets int64 [batch].
/// mse: values and targets float32 [batch, ...] that are alike.
/// binary cross-entropy: scores before the sigmoid, alike the targets, which are float32 from 0 to
/// 1 (throws a UserError) or the classes 0 and 1; correct are those on the right side of 0.
/// language model: scores [batch, tokens, vocabulary], targets int64 [batch, tokens].
///
/// `loss` is one of these four; the mean of the sample losses.
[[nodiscard]] BatchLoss loss_of(Loss loss, const torch::Tensor& made, const torch::Tensor& targets);

}  // namespace epochcast::real
