// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/batch_loss.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast::real {
namespace {

namespace F = torch::nn::functional;

/// Cross-entropy of scores [numbers, classes], one for each of the targets [numbers].
torch::Tensor cross_entropies(const torch::Tensor& scores, const torch::Tensor& targets) {
  return F::cross_entropy(scores, targets, F::CrossEntropyFuncOptions().reduction(torch::kNone));
}

/// Means of a sample's values [batch, ...].
torch::Tensor by_sample(const torch::Tensor& values) { return values.flatten(1).mean(1); }

/// A sample's sizes but those that are 1.
std::vector<std::int64_t> sizes_of_sample(torch::IntArrayRef sizes) {
  std::vector<std::int64_t> own(sizes.begin() + 1, sizes.end());
  std::erase(own, 1);
  return own;
}

void check_probabilities(const torch::Tensor& wanted) {
  if (wanted.numel() == 0) return;
  for (const torch::Tensor& extreme : {wanted.min(), wanted.max()}) {
    const auto value = extreme.item<double>();
    if (!(value >= 0 && value <= 1))
      throw UserError("--loss: binary-cross-entropy is of targets from 0 to 1; the data have " +
                      shortest(value));
  }
}

BatchLoss with_mean(const torch::Tensor& sample_losses, torch::Tensor correct) {
  return {.loss = sample_losses.mean(),
          .sample_losses = sample_losses.detach(),
          .correct = std::move(correct)};
}

}  // namespace

bool are_alike(const torch::Tensor& outputs, const torch::Tensor& targets) {
  if (outputs.dim() == 0 || targets.dim() == 0 || outputs.size(0) != targets.size(0)) return false;
  if (outputs.numel() != targets.numel()) return false;
  const std::vector<std::int64_t> made = sizes_of_sample(outputs.sizes());
  const std::vector<std::int64_t> wanted = sizes_of_sample(targets.sizes());
  return made == wanted || made.size() <= 1;
}

BatchLoss loss_of(Loss loss, const torch::Tensor& made, const torch::Tensor& targets) {
  const torch::Tensor outputs = made.to(torch::kFloat32);
  switch (loss) {
    case Loss::cross_entropy:
      return with_mean(cross_entropies(outputs, targets),
                       (outputs.detach().argmax(1) == targets).sum());
    case Loss::mse: {
      const torch::Tensor errors = outputs.reshape(targets.sizes()) - targets;
      return with_mean(by_sample((errors * errors).unsqueeze(-1)),
                       torch::full({}, std::numeric_limits<double>::quiet_NaN()));
    }
    case Loss::binary_cross_entropy: {
      const torch::Tensor wanted = targets.to(torch::kFloat32).unsqueeze(-1);
      if (targets.is_floating_point()) check_probabilities(wanted);
      const torch::Tensor scores = outputs.reshape(wanted.sizes());
      const torch::Tensor losses = F::binary_cross_entropy_with_logits(
          scores, wanted, F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kNone));
      const torch::Tensor is_right = (scores.detach() > 0) == (wanted > 0.5);
      return with_mean(by_sample(losses), by_sample(is_right.to(torch::kFloat32)).sum());
    }
    case Loss::language_model: {
      const torch::Tensor losses =
          cross_entropies(outputs.flatten(0, 1), targets.flatten()).view(targets.sizes());
      const torch::Tensor is_right = outputs.detach().argmax(2) == targets;
      return with_mean(by_sample(losses), by_sample(is_right.to(torch::kFloat32)).sum());
    }
    case Loss::automatic:
    case Loss::model:
      break;
  }
  throw std::logic_error("a loss that is not computed from outputs");
}

}  // namespace epochcast::real
