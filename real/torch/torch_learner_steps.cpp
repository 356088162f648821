// SPDX-License-Identifier: Apache-2.0
// The steps of a TorchLearner's optimizer.
#include <algorithm>
#include <span>
#include <utility>

#include "base/process/diverged.hpp"
#include "core/job/setting_text.hpp"
#include "real/torch/torch_learner.hpp"

namespace epochcast::real {

void TorchLearner::unscale(const FlatModel::Range& range) {
  if (scaler_) model_.unscale_gradients(range, scaler_->scale());
}

double TorchLearner::share_after_step() const {
  if (!order_.empty()) return epoch_share();
  if (share_.count == 0) return share_.epoch_end;
  // A worker without samples makes the same number of steps.
  const double done =
      std::min(1.0, static_cast<double>(steps_ + 1) / static_cast<double>(share_.count));
  return share_.epoch_begin + done * (share_.epoch_end - share_.epoch_begin);
}

void TorchLearner::optimize(const std::vector<FlatModel::Range>& ranges) {
  optimized_ = ranges;
  optimizers_.clear();
  for (const FlatModel::Range& range : ranges) {
    torch::Tensor parameters = model_.parameters();
    if (!optimizes_all()) {
      const std::int64_t length = range.end - range.begin;
      parameters = parameters.detach().narrow(0, range.begin, length).requires_grad_();
      parameters.mutable_grad() = model_.gradients().narrow(0, range.begin, length);
    }
    optimizers_.push_back(make_optimizer(settings_.optimizer, parameters));
  }
}

bool TorchLearner::may_step() {
  if (!scaler_) return true;
  bool are_finite = std::ranges::all_of(
      optimized_, [&](const auto& range) { return model_.has_finite_gradients(range); });
  if (!optimizes_all() && !is_on_trial_) {
    float others = are_finite ? 0.F : 1.F;
    fabric_.all_reduce(payload_of(std::span(&others, 1)), 1, fabric_.world());
    are_finite = others == 0;
    work_began_s_ = fabric_.now_s();
  }
  scaler_->update(are_finite);
  if (!scaler_->is_exhausted()) return are_finite;
  throw Diverged("rank " + std::to_string(fabric_.rank()) + ": the gradients are not finite in " +
                 show_name(settings_.precision, kPrecisions) + ", in epoch " +
                 std::to_string(epoch_ + 1) + ", at any scale of the loss; lower --learning-rate" +
                 ", or choose --precision bfloat16");
}

void TorchLearner::step() { step_at(1, share_after_step()); }

void TorchLearner::apply(Payload gradients, std::int64_t begin, double rate, double epoch_share) {
  const std::vector<FlatModel::Range> part = {{.begin = begin, .end = begin + gradients.count}};
  if (part != optimized_) optimize(part);
  const std::span<const float> numbers = values<float>(gradients);
  const std::span<float> own = model_.host_gradients().subspan(static_cast<std::size_t>(begin));
  if (numbers.data() != own.data()) std::ranges::copy(numbers, own.begin());
  are_gradients_out_ = true;
  step_at(rate, epoch_share);
}

void TorchLearner::step_at(double rate, double share) {
  work_began_s_ = fabric_.now_s();
  if (are_gradients_out_) model_.gradients_from_host();
  are_gradients_out_ = false;
  refresh_state();
  const bool steps = may_step();
  if (steps && settings_.clip_norm) model_.clip_gradients(*settings_.clip_norm);
  learning_rate_ = settings_.learning_rate.at(epoch_, stepped_share_, share);
  stepped_share_ = share;
  ++steps_;
  if (steps) {
    for (const auto& optimizer : optimizers_)
      optimizer->step(is_on_trial_ ? 0 : rate * learning_rate_);
  }
  piece_ = backward_end();
  pass("step", piece_ + 1);
}

void TorchLearner::step_part(std::int64_t begin, std::int64_t count, bool is_last) {
  if (count > 0) stepping_.push_back({.begin = begin, .end = begin + count});
  if (!is_last) return;
  std::ranges::sort(stepping_, {}, &FlatModel::Range::begin);
  std::vector<FlatModel::Range> ranges;
  for (const FlatModel::Range& part : std::exchange(stepping_, {})) {
    if (!ranges.empty() && ranges.back().end == part.begin) {
      ranges.back().end = part.end;
    } else {
      ranges.push_back(part);
    }
  }
  if (ranges != optimized_) optimize(ranges);
  step();
}

void TorchLearner::train(std::int64_t steps, std::int64_t batch) {
  for (std::int64_t i = 0; i < steps; ++i) {
    forward_backward(batch);
    step();
  }
}

}  // namespace epochcast::real
