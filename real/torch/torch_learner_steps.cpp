// SPDX-License-Identifier: Apache-2.0
// The steps of a TorchLearner's optimizer.
#include <algorithm>
#include <span>
#include <stdexcept>
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
  // A worker without samples makes the same number of steps.
  return chunks_ == 0
             ? 1
             : std::min(1.0, static_cast<double>(steps_ + 1) / static_cast<double>(chunks_));
}

void TorchLearner::optimize(const FlatModel::Range& range) {
  optimized_ = range;
  torch::Tensor parameters = model_.parameters();
  if (!optimizes_all()) {
    const std::int64_t length = range.end - range.begin;
    parameters = parameters.detach().narrow(0, range.begin, length).requires_grad_();
    parameters.mutable_grad() = model_.gradients().narrow(0, range.begin, length);
  }
  optimizer_ = make_optimizer(settings_.optimizer, parameters);
}

bool TorchLearner::may_step() {
  if (!scaler_) return true;
  bool are_finite = model_.has_finite_gradients(optimized_);
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

void TorchLearner::step() {
  work_began_s_ = fabric_.now_s();
  if (are_gradients_out_) model_.gradients_from_host();
  are_gradients_out_ = false;
  refresh_state();
  const bool steps = may_step();
  if (steps && settings_.clip_norm) model_.clip_gradients(*settings_.clip_norm);
  const double share = share_after_step();
  learning_rate_ = settings_.learning_rate.at(epoch_, stepped_share_, share);
  stepped_share_ = share;
  ++steps_;
  if (steps) optimizer_->step(is_on_trial_ ? 0 : learning_rate_);
  piece_ = backward_end();
  pass("step", piece_ + 1);
}

void TorchLearner::step_part(std::int64_t begin, std::int64_t count, bool is_last) {
  const bool is_first = stepping_.begin == stepping_.end;
  if (!is_first && begin != stepping_.end && begin + count != stepping_.begin)
    throw std::logic_error("the parts of a step are not adjacent");
  stepping_ = is_first ? FlatModel::Range{begin, begin + count}
                       : FlatModel::Range{std::min(begin, stepping_.begin),
                                          std::max(begin + count, stepping_.end)};
  if (!is_last) return;
  const FlatModel::Range range = std::exchange(stepping_, {});
  if (range.begin != optimized_.begin || range.end != optimized_.end) optimize(range);
  step();
}

void TorchLearner::train(std::int64_t steps, std::int64_t batch) {
  for (std::int64_t i = 0; i < steps; ++i) {
    forward_backward(batch);
    step();
  }
}

}  // namespace epochcast::real
