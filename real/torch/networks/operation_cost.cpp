// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/operation_cost.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace epochcast::real {
namespace {

constexpr std::int64_t kFlopPerMultiplyAdd = 2;
constexpr std::int64_t kFlopPerNormalisedElement = 4;
constexpr std::int64_t kFlopPerSoftmaxElement = 5;

torch::Tensor input(const OperationCall& call, std::size_t index = 0) {
  return call.inputs.at(index).toTensor();
}

torch::Tensor output(const OperationCall& call) { return call.outputs.at(0).toTensor(); }

OperationCost move(const OperationCall& /*call*/) { return {.moves = true}; }

/// A function of each element, whose backward pass reads what came in.
OperationCost pointwise(const OperationCall& call) {
  return {.forward_flop = call.elements(output(call)), .read = {input(call)}};
}

/// A function of each element, whose backward pass reads what came out.
OperationCost pointwise_by_output(const OperationCall& call) {
  return {.forward_flop = call.elements(output(call)), .read = {output(call)}};
}

OperationCost addition(const OperationCall& call) {
  return {.forward_flop = call.elements(output(call))};
}

OperationCost multiplication(const OperationCall& call) {
  if (!call.inputs.at(1).isTensor()) return {.moves = true};
  const torch::Tensor left = input(call);
  const torch::Tensor right = input(call, 1);
  OperationCost cost = {.forward_flop = call.elements(output(call))};
  if (right.requires_grad()) cost.read.push_back(left);
  if (left.requires_grad()) cost.read.push_back(right);
  return cost;
}

/// Backward multiplies by the mask.
OperationCost dropout(const OperationCall& call) {
  const bool drops = call.inputs.at(1).toDouble() > 0 && call.inputs.at(2).toBool();
  return drops ? addition(call) : move(call);
}

/// Places in one sample's maps [batch, channels, places...].
std::int64_t places(const torch::Tensor& maps) {
  std::int64_t count = 1;
  for (std::int64_t dimension = 2; dimension < maps.dim(); ++dimension)
    count *= maps.size(dimension);
  return count;
}

/// Every weight is used once for each place of what comes out or, where a convolution is
/// transposed, of what goes in.
OperationCost convolved(const OperationCall& call, const torch::Tensor& maps) {
  const std::int64_t multiply_adds = input(call, 1).numel() * places(maps);
  return {.forward_flop = kFlopPerMultiplyAdd * multiply_adds,
          .multiply_adds = multiply_adds,
          .read = {input(call)}};
}

OperationCost convolution_cost(const OperationCall& call) { return convolved(call, output(call)); }

OperationCost transposed_convolution(const OperationCall& call) {
  return convolved(call, input(call));
}

/// As traces have them: the seventh argument says whether it is transposed.
OperationCost traced_convolution(const OperationCall& call) {
  return call.inputs.at(6).toBool() ? transposed_convolution(call) : convolution_cost(call);
}

OperationCost product(const OperationCall& call,
                      const torch::Tensor& left,
                      const torch::Tensor& right) {
  const std::int64_t multiply_adds = left.size(-1) * call.elements(output(call));
  return {.forward_flop = kFlopPerMultiplyAdd * multiply_adds,
          .multiply_adds = multiply_adds,
          .read = {left, right}};
}

OperationCost product_of_two(const OperationCall& call) {
  return product(call, input(call), input(call, 1));
}

OperationCost product_added_to_bias(const OperationCall& call) {
  return product(call, input(call, 1), input(call, 2));
}

/// A sum or a mean, whose backward pass reads nothing.
OperationCost reduction(const OperationCall& call) {
  return {.forward_flop = call.elements(input(call))};
}

OperationCost normalisation(const OperationCall& call) {
  return {.forward_flop = kFlopPerNormalisedElement * call.elements(output(call)),
          .read = {input(call)}};
}

OperationCost softmax(const OperationCall& call) {
  return {.forward_flop = kFlopPerSoftmaxElement * call.elements(output(call)),
          .read = {output(call)}};
}

OperationCost pooling(const OperationCall& call) {
  const std::vector<std::int64_t> window = call.inputs.at(1).toIntVector();  // one side or both
  return {.forward_flop = window.front() * window.back() * call.elements(output(call)),
          .read = {input(call)}};
}

/// Rows (or columns) in all windows: window i of n covers
/// [floor(i * extent / n), ceil((i + 1) * extent / n)).
std::int64_t covered(std::int64_t extent, std::int64_t windows) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < windows; ++i) {
    sum += ((i + 1) * extent + windows - 1) / windows - i * extent / windows;
  }
  return sum;
}

OperationCost adaptive_pooling(const OperationCall& call) {
  const torch::Tensor maps = input(call);
  const torch::Tensor pooled = output(call);
  return {.forward_flop = maps.size(1) * covered(maps.size(2), pooled.size(2)) *
                          covered(maps.size(3), pooled.size(3)),
          .read = {maps}};
}

/// New elements that cost nothing and that backward reads nothing for: lookups and copies.
OperationCost copy(const OperationCall& /*call*/) { return {}; }

/// What a recurrent cell does per hidden unit and step, beside the two products.
struct Cell {
  std::int64_t flop;  ///< of one element
  std::int64_t kept;  ///< values that backward through time reads, beside the output
};

/// The layer over all steps of samples [batch, steps, inputs]; the output has the hidden states.
OperationCost recurrence(const OperationCall& call, const Cell& cell) {
  constexpr std::int64_t kFloatBytes = 4;
  std::vector<torch::Tensor> weights;
  for (const torch::IValue& value : call.inputs) {
    if (value.isTensorList()) weights = value.toTensorVector();
  }
  const std::int64_t steps = input(call).size(1);
  const std::int64_t hidden = weights.at(1).size(1);
  const std::int64_t multiply_adds = weights[0].numel() + weights[1].numel();
  return {.forward_flop = steps * (kFlopPerMultiplyAdd * multiply_adds + cell.flop * hidden),
          .multiply_adds = steps * multiply_adds,
          .kept_inside_bytes = kFloatBytes * steps * cell.kept * hidden,
          .read = {input(call), output(call)}};
}

/// h = tanh(ih + hh): one sum, one function.
OperationCost rnn(const OperationCall& call) { return recurrence(call, {.flop = 2, .kept = 0}); }

/// Four sums and four functions; c = f c + i g (3), h = o tanh(c) (2). Keeps the gates and c.
OperationCost lstm(const OperationCall& call) { return recurrence(call, {.flop = 13, .kept = 5}); }

/// Three sums and three functions; r hn (1), h = (1 - z) n + z h (4). Keeps the gates and hn.
OperationCost gru(const OperationCall& call) { return recurrence(call, {.flop = 11, .kept = 4}); }

using Rule = OperationCost (*)(const OperationCall&);

const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> kRules = {
      {"aten::_convolution", traced_convolution},
      {"aten::abs", pointwise},
      {"aten::adaptive_avg_pool2d", adaptive_pooling},
      {"aten::adaptive_max_pool2d", adaptive_pooling},
      {"aten::add", addition},
      {"aten::add_", addition},
      {"aten::addmm", product_added_to_bias},
      {"aten::addmv", product_added_to_bias},
      {"aten::alpha_dropout", dropout},
      {"aten::avg_pool1d", pooling},
      {"aten::avg_pool2d", pooling},
      {"aten::avg_pool3d", pooling},
      {"aten::baddbmm", product_added_to_bias},
      {"aten::batch_norm", normalisation},
      {"aten::bmm", product_of_two},
      {"aten::cat", copy},
      {"aten::clamp", pointwise},
      {"aten::clamp_", pointwise},
      {"aten::clamp_min", pointwise},
      {"aten::conv1d", convolution_cost},
      {"aten::conv2d", convolution_cost},
      {"aten::conv3d", convolution_cost},
      {"aten::conv_transpose1d", transposed_convolution},
      {"aten::conv_transpose2d", transposed_convolution},
      {"aten::conv_transpose3d", transposed_convolution},
      {"aten::convolution", convolution_cost},
      {"aten::cos", pointwise},
      {"aten::div", multiplication},
      {"aten::div_", multiplication},
      {"aten::dot", product_of_two},
      {"aten::dropout", dropout},
      {"aten::dropout_", dropout},
      {"aten::elu", pointwise},
      {"aten::elu_", pointwise_by_output},
      {"aten::embedding", copy},
      {"aten::erf", pointwise},
      {"aten::exp", pointwise_by_output},
      {"aten::feature_dropout", dropout},
      {"aten::feature_dropout_", dropout},
      {"aten::gather", copy},
      {"aten::gelu", pointwise},
      {"aten::group_norm", normalisation},
      {"aten::gru", gru},
      {"aten::hardsigmoid", pointwise},
      {"aten::hardsigmoid_", pointwise},
      {"aten::hardswish", pointwise},
      {"aten::hardswish_", pointwise},
      {"aten::hardtanh", pointwise},
      {"aten::hardtanh_", pointwise},
      {"aten::index", copy},
      {"aten::index_select", copy},
      {"aten::instance_norm", normalisation},
      {"aten::layer_norm", normalisation},
      {"aten::leaky_relu", pointwise},
      {"aten::leaky_relu_", pointwise_by_output},
      {"aten::linear", product_of_two},
      {"aten::log", pointwise},
      {"aten::log_softmax", softmax},
      {"aten::lstm", lstm},
      {"aten::matmul", product_of_two},
      {"aten::max_pool1d", pooling},
      {"aten::max_pool2d", pooling},
      {"aten::max_pool3d", pooling},
      {"aten::mean", reduction},
      {"aten::mish", pointwise},
      {"aten::mm", product_of_two},
      {"aten::mul", multiplication},
      {"aten::mul_", multiplication},
      {"aten::mv", product_of_two},
      {"aten::neg", addition},
      {"aten::norm", reduction},
      {"aten::pow", pointwise},
      {"aten::prelu", pointwise},
      {"aten::relu", pointwise_by_output},
      {"aten::relu_", pointwise_by_output},
      {"aten::rnn_tanh", rnn},
      {"aten::roll", copy},
      {"aten::rsqrt", pointwise_by_output},
      {"aten::rsub", addition},
      {"aten::selu", pointwise},
      {"aten::sigmoid", pointwise_by_output},
      {"aten::sigmoid_", pointwise_by_output},
      {"aten::silu", pointwise},
      {"aten::silu_", pointwise},
      {"aten::sin", pointwise},
      {"aten::softmax", softmax},
      {"aten::softplus", pointwise_by_output},
      {"aten::sqrt", pointwise_by_output},
      {"aten::square", pointwise},
      {"aten::stack", copy},
      {"aten::sub", addition},
      {"aten::sub_", addition},
      {"aten::sum", reduction},
      {"aten::tanh", pointwise_by_output},
      {"aten::tanh_", pointwise_by_output},
      {"aten::upsample_bilinear2d", copy},
      {"aten::upsample_nearest1d", copy},
      {"aten::upsample_nearest2d", copy},
      {"aten::where", copy},
  };
  return kRules;
}

/// Operations that make no new values.
const std::set<std::string>& moves() {
  static const std::set<std::string> kMoves = {"aten::alias",
                                               "aten::arange",
                                               "aten::bernoulli_",
                                               "aten::channel_shuffle",
                                               "aten::chunk",
                                               "aten::clone",
                                               "aten::constant_pad_nd",
                                               "aten::contiguous",
                                               "aten::copy_",
                                               "aten::detach",
                                               "aten::empty",
                                               "aten::expand",
                                               "aten::expand_as",
                                               "aten::fill_",
                                               "aten::flatten",
                                               "aten::float",
                                               "aten::full",
                                               "aten::linspace",
                                               "aten::masked_fill",
                                               "aten::masked_fill_",
                                               "aten::movedim",
                                               "aten::narrow",
                                               "aten::ones",
                                               "aten::ones_like",
                                               "aten::pad",
                                               "aten::permute",
                                               "aten::pixel_shuffle",
                                               "aten::rand",
                                               "aten::randn",
                                               "aten::reflection_pad2d",
                                               "aten::repeat",
                                               "aten::repeat_interleave",
                                               "aten::replication_pad2d",
                                               "aten::reshape",
                                               "aten::select",
                                               "aten::slice",
                                               "aten::split",
                                               "aten::split_with_sizes",
                                               "aten::squeeze",
                                               "aten::swapaxes",
                                               "aten::swapdims",
                                               "aten::t",
                                               "aten::to",
                                               "aten::transpose",
                                               "aten::tril",
                                               "aten::tril_",
                                               "aten::triu",
                                               "aten::triu_",
                                               "aten::type_as",
                                               "aten::unbind",
                                               "aten::unflatten",
                                               "aten::unfold",
                                               "aten::unsqueeze",
                                               "aten::view",
                                               "aten::view_as",
                                               "aten::zero_",
                                               "aten::zeros",
                                               "aten::zeros_like"};
  return kMoves;
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
    if (tensor.defined() && tensor.is_floating_point()) tensors.push_back(tensor);
  };
  for (const torch::IValue& value : values) {
    if (value.isTensor()) add(value.toTensor());
    if (!value.isTensorList()) continue;
    for (const torch::Tensor& tensor : value.toTensorVector()) add(tensor);
  }
  return tensors;
}

bool has_operation_cost(const std::string& name) {
  return moves().count(name) > 0 || rules().count(name) > 0;
}

OperationCost operation_cost(const OperationCall& call) {
  if (moves().count(call.name) > 0) return {.moves = true};
  const auto rule = rules().find(call.name);
  if (rule == rules().end()) {
    throw std::logic_error(call.name + " has no rule in real/torch/networks/operation_cost.cpp");
  }
  return rule->second(call);
}

}  // namespace epochcast::real
