// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/operation_cost.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

#include "real/torch/networks/operation_formulas.hpp"

namespace epochcast::real {
namespace {

using Rule = OperationCost (*)(const OperationCall&);

/// Operations with the same cost rule.
struct Kind {
  Rule rule;
  const char* names;  ///< LibTorch's, without "aten::"
};

const std::vector<Kind>& kinds() {
  using namespace formulas;  // NOLINT(google-build-using-namespace)
  static const std::vector<Kind> kKinds = {
      {moved,
       "alias arange bernoulli broadcast_to channel_shuffle chunk clone constant_pad_nd "
       "contiguous copy detach diagonal empty empty_like expand expand_as fill flatten "
       "float full full_like hsplit lift_fresh linspace masked_fill movedim narrow "
       "native_channel_shuffle new_empty new_full new_ones new_zeros normal ones "
       "ones_like pad permute pixel_shuffle pixel_unshuffle rand rand_like randn "
       "randn_like ravel reflection_pad1d reflection_pad2d reflection_pad3d repeat "
       "repeat_interleave replication_pad1d replication_pad2d replication_pad3d reshape "
       "reshape_as resize resize_as select slice split split_with_sizes squeeze swapaxes "
       "swapdims t tensor_split tile to transpose tril triu type_as unbind unflatten unfold "
       "uniform "
       "unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze view view_as vsplit "
       "zero zeros zeros_like"},
      {copied,
       "cat concat concatenate embedding flip gather hstack im2col index index_copy "
       "index_put index_select masked_scatter masked_select nll_loss nll_loss2d "
       "nll_loss_nd one_hot roll rot90 scatter stack take take_along_dim "
       "upsample_nearest1d upsample_nearest2d upsample_nearest3d "
       "_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d "
       "vstack where"},
      {addition,
       "add ceil col2im cumsum floor frac index_add neg rsub round scatter_add sgn sign "
       "sub subtract trunc"},
      {pointwise,
       "abs acos acosh asin asinh atan atanh celu clamp clamp_max clamp_min clip cos "
       "cosh digamma elu erf erfc erfinv expm1 gelu hardshrink hardsigmoid hardswish "
       "hardtanh leaky_relu lgamma log log10 log1p log2 log_sigmoid logit mish "
       "nan_to_num negative pow prelu relu6 rrelu selu silu sin sinc sinh softshrink "
       "square tan threshold"},
      {pointwise_by_output, "exp exp2 reciprocal relu rsqrt sigmoid softplus sqrt tanh"},
      {pointwise_of_two,
       "atan2 fmax fmin fmod huber_loss hypot l1_loss logaddexp maximum minimum mse_loss "
       "remainder smooth_l1_loss xlogy"},
      {pointwise_of_three, "addcdiv addcmul lerp"},
      {multiplication, "div divide mul multiply true_divide"},
      {gated, "glu"},
      {dropout, "alpha_dropout dropout feature_alpha_dropout feature_dropout"},
      {convolution, "conv1d conv2d conv3d"},
      {transposed_convolution, "conv_transpose1d conv_transpose2d conv_transpose3d"},
      {traced_convolution, "_convolution convolution"},
      {product_of_two, "bmm dot linear matmul mm mv"},
      {product_added_to_bias, "addmm addmv baddbmm"},
      {bilinear, "bilinear"},
      {attention, "scaled_dot_product_attention"},
      {reduction, "mean nanmean nansum sum"},
      {reduction_by_input,
       "amax amin cumprod frobenius_norm linalg_norm linalg_vector_norm logcumsumexp max "
       "min norm prod"},
      {spread, "std std_mean var var_mean"},
      {normalisation,
       "batch_norm group_norm instance_norm layer_norm native_batch_norm "
       "native_group_norm native_layer_norm"},
      {softmax, "_log_softmax _softmax log_softmax softmax"},
      {log_sum, "logsumexp"},
      {embedding_bag, "embedding_bag"},
      {pooling,
       "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool1d_with_indices max_pool2d "
       "max_pool2d_with_indices max_pool3d max_pool3d_with_indices"},
      {adaptive_pooling,
       "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
       "adaptive_max_pool2d adaptive_max_pool3d"},
      {interpolation,
       "upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_trilinear3d"},
      {rnn, "rnn_relu rnn_tanh"},
      {lstm, "lstm"},
      {gru, "gru"},
  };
  return kKinds;
}

const std::unordered_map<std::string, Rule>& rules() {
  static const std::unordered_map<std::string, Rule> kRules = [] {
    std::unordered_map<std::string, Rule> by_name;
    for (const Kind& kind : kinds()) {
      std::istringstream names(kind.names);
      for (std::string name; names >> name;) by_name.emplace("aten::" + name, kind.rule);
    }
    return by_name;
  }();
  return kRules;
}

/// Null without a rule. In-place operations ("aten::relu_") cost the same.
Rule rule_of(const std::string& name) {
  auto rule = rules().find(name);
  if (rule == rules().end() && name.ends_with('_')) {
    rule = rules().find(name.substr(0, name.size() - 1));
  }
  return rule == rules().end() ? nullptr : rule->second;
}

}  // namespace

std::int64_t OperationCall::elements(const torch::Tensor& tensor) const {
  if (samples > 0) return std::max<std::int64_t>(1, tensor.numel() / samples);
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.sizes()) count *= extent == 0 ? 1 : extent;
  return count;
}

std::int64_t OperationCall::moved_bytes(
    const std::function<bool(const torch::Tensor&)>& is_known) const {
  std::int64_t bytes = 0;
  for (const auto* values : {&inputs, &outputs}) {
    for (const torch::Tensor& tensor : float_tensors(*values)) {
      if (!is_known(tensor))
        bytes += elements(tensor) * static_cast<std::int64_t>(tensor.element_size());
    }
  }
  return bytes;
}

std::vector<torch::Tensor> float_tensors(const std::vector<torch::IValue>& values) {
  std::vector<torch::Tensor> tensors;
  const auto add = [&](const torch::Tensor& tensor) {
    const bool has_numbers = tensor.defined() && tensor.has_storage();
    if (has_numbers && (tensor.is_floating_point() || tensor.is_complex()))
      tensors.push_back(tensor);
  };
  for (const torch::IValue& value : values) {
    if (value.isTensor()) add(value.toTensor());
    if (!value.isTensorList()) continue;
    for (const torch::Tensor& tensor : value.toTensorVector()) add(tensor);
  }
  return tensors;
}

bool has_operation_cost(const std::string& name) { return rule_of(name) != nullptr; }

OperationCost operation_cost(const OperationCall& call) {
  const Rule rule = rule_of(call.name);
  if (rule == nullptr) {
    throw std::logic_error(call.name + " has no rule in real/torch/networks/operation_cost.cpp");
  }
  return rule(call);
}

}  // namespace epochcast::real
