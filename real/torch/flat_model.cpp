// SPDX-License-Identifier: Apache-2.0
#include "real/torch/flat_model.hpp"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace epochcast::real {
namespace {

/// Runs after a parameter's gradient has been added to its .grad.
class AfterAccumulation : public torch::autograd::FunctionPostHook {
 public:
  explicit AfterAccumulation(std::function<void()> call) : call_(std::move(call)) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    call_();
    return outputs;
  }

 private:
  std::function<void()> call_;
};

std::span<float> floats(const torch::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

torch::Tensor mirror(const torch::Tensor& tensor) {
  if (tensor.device().is_cpu()) return tensor;
  return torch::zeros(tensor.sizes(), torch::TensorOptions(torch::kFloat32).pinned_memory(true));
}

}  // namespace

FlatModel::FlatModel(std::shared_ptr<TorchNetwork> network,
                     torch::Device device,
                     double first_bytes,
                     double bucket_bytes)
    : network_(std::move(network)), device_(device) {
  network_->to(device_);
  flatten();
  cut(first_bytes, bucket_bytes);
  hook_parameters();
}

void FlatModel::flatten() {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> parameters = network_->parameters();
  std::vector<torch::Tensor> buffers;
  for (const torch::Tensor& buffer : network_->buffers()) {
    if (is_averaged(buffer)) buffers.push_back(buffer);
  }
  std::int64_t parameter_count = 0;
  std::int64_t count = 0;
  for (const torch::Tensor& each : parameters) parameter_count += each.numel();
  for (const torch::Tensor& each : buffers) count += each.numel();
  const auto options = torch::TensorOptions(torch::kFloat32).device(device_);
  state_ = torch::zeros({parameter_count + count}, options);
  gradients_ = torch::zeros({parameter_count}, options);
  std::int64_t at = 0;
  const auto move_in = [&](torch::Tensor& tensor) {
    torch::Tensor view = state_.narrow(0, at, tensor.numel()).view(tensor.sizes());
    view.copy_(tensor);
    tensor.set_data(view);
    at += tensor.numel();
  };
  for (torch::Tensor& parameter : parameters) {
    parameter.mutable_grad() = gradients_.narrow(0, at, parameter.numel()).view(parameter.sizes());
    move_in(parameter);
  }
  for (torch::Tensor& buffer : buffers) move_in(buffer);
  parameters_ = state_.narrow(0, 0, parameter_count);
  parameters_.mutable_grad() = gradients_;
  host_state_ = mirror(state_);
  host_gradients_ = mirror(gradients_);
}

void FlatModel::cut(double first_bytes, double bucket_bytes) {
  const std::vector<torch::Tensor> parameters = network_->parameters();
  range_of_parameter_.resize(parameters.size());
  std::int64_t end = gradients_.numel();
  std::int64_t begin = end;
  std::int64_t members = 0;
  for (std::size_t i = parameters.size(); i-- > 0;) {
    begin -= parameters[i].numel();
    range_of_parameter_[i] = ranges_.size();
    ++members;
    const double limit = ranges_.empty() ? first_bytes : bucket_bytes;
    if (static_cast<double>((end - begin) * 4) < limit && i > 0) continue;
    ranges_.push_back({.begin = begin, .end = end});
    parameters_in_range_.push_back(std::exchange(members, 0));
    end = begin;
  }
}

void FlatModel::hook_parameters() {
  const std::vector<torch::Tensor> parameters = network_->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    accumulators_.push_back(torch::autograd::impl::grad_accumulator(parameters[i]));
    accumulators_.back()->add_post_hook(
        std::make_unique<AfterAccumulation>([this, i] { parameter_is_ready(i); }));
  }
}

void FlatModel::clip_gradients(double norm) {
  constexpr double kAboveZero = 1e-6;  // as in PyTorch
  const torch::NoGradGuard no_gradients;
  const double factor = norm / (gradients_.norm().item<double>() + kAboveZero);
  if (factor < 1) gradients_.mul_(factor);
}

void FlatModel::unscale_gradients(const Range& range, double scale) {
  const torch::NoGradGuard no_gradients;
  gradients_.narrow(0, range.begin, range.end - range.begin).mul_(1 / scale);
}

bool FlatModel::has_finite_gradients(const Range& range) const {
  const torch::Tensor part = gradients_.narrow(0, range.begin, range.end - range.begin);
  return part.isfinite().all().item<bool>();
}

void FlatModel::begin_backward() {
  missing_ = parameters_in_range_;
  next_range_ = 0;
}

void FlatModel::parameter_is_ready(std::size_t parameter) {
  if (!ready_) return;
  --missing_[range_of_parameter_[parameter]];
  // All ranks start exchanges in the same order, independent of the order in which ranges are
  // complete.
  while (next_range_ < ranges_.size() && missing_[next_range_] == 0) ready_(next_range_++);
}

void FlatModel::end_backward() {
  if (!ready_) return;
  while (next_range_ < ranges_.size()) ready_(next_range_++);
}

std::span<float> FlatModel::host_state() { return floats(host_state_); }

std::span<float> FlatModel::host_gradients() { return floats(host_gradients_); }

void FlatModel::state_to_host() {
  if (!device_.is_cpu()) host_state_.copy_(state_);
}

void FlatModel::state_from_host() {
  const torch::NoGradGuard no_gradients;
  if (!device_.is_cpu()) state_.copy_(host_state_);
}

void FlatModel::gradients_to_host(const Range& range) {
  if (device_.is_cpu()) return;
  const std::int64_t length = range.end - range.begin;
  host_gradients_.narrow(0, range.begin, length).copy_(gradients_.narrow(0, range.begin, length));
}

void FlatModel::gradients_from_host() {
  if (!device_.is_cpu()) gradients_.copy_(host_gradients_);
}

}  // namespace epochcast::real
