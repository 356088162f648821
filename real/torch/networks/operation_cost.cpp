// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/operation_cost.hpp"

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
  return {.forward_flop = elements_per_sample(output(call)), .read = {input(call)}};
}

/// A function of each element, whose backward pass reads what came out.
OperationCost pointwise_by_output(const OperationCall& call) {
  return {.forward_flop = elements_per_sample(output(call)), .read = {output(call)}};
}

OperationCost addition(const OperationCall& call) {
  return {.forward_flop = elements_per_sample(output(call))};
}

OperationCost multiplication(const OperationCall& call) {
  if (!call.inputs.at(1).isTensor()) return {.moves = true};
  const torch::Tensor left = input(call);
  const torch::Tensor right = input(call, 1);
  OperationCost cost = {.forward_flop = elements_per_sample(output(call))};
  if (right.requires_grad()) cost.read.push_back(left);
  if (left.requires_grad()) cost.read.push_back(right);
  return cost;
}

/// Backward multiplies by the mask.
OperationCost dropout(const OperationCall& call) {
  const bool drops = call.inputs.at(1).toDouble() > 0 && call.inputs.at(2).toBool();
  return drops ? addition(call) : move(call);
}

OperationCost convolution_cost(const OperationCall& call) {
  const torch::Tensor maps = output(call);
  const std::int64_t places = maps.size(-2) * maps.size(-1);
  return {.forward_flop = kFlopPerMultiplyAdd * input(call, 1).numel() * places,
          .read = {input(call)}};
}

OperationCost product(const torch::Tensor& left,
                      const torch::Tensor& right,
                      const torch::Tensor& result) {
  const std::int64_t terms = left.size(-1);
  return {.forward_flop = kFlopPerMultiplyAdd * terms * elements_per_sample(result),
          .read = {left, right}};
}

OperationCost product_of_two(const OperationCall& call) {
  return product(input(call), input(call, 1), output(call));
}

OperationCost product_added_to_bias(const OperationCall& call) {
  return product(input(call, 1), input(call, 2), output(call));
}

OperationCost normalisation(const OperationCall& call) {
  return {.forward_flop = kFlopPerNormalisedElement * elements_per_sample(output(call)),
          .read = {input(call)}};
}

OperationCost softmax(const OperationCall& call) {
  return {.forward_flop = kFlopPerSoftmaxElement * elements_per_sample(output(call)),
          .read = {output(call)}};
}

OperationCost pooling(const OperationCall& call) {
  const std::vector<std::int64_t> window = call.inputs.at(1).toIntVector();  // one side or both
  return {.forward_flop = window.front() * window.back() * elements_per_sample(output(call)),
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
      {"aten::adaptive_avg_pool2d", adaptive_pooling},
      {"aten::add", addition},
      {"aten::add_", addition},
      {"aten::addmm", product_added_to_bias},
      {"aten::avg_pool2d", pooling},
      {"aten::batch_norm", normalisation},
      {"aten::cat", copy},
      {"aten::conv2d", convolution_cost},
      {"aten::dropout", dropout},
      {"aten::embedding", copy},
      {"aten::feature_dropout", dropout},
      {"aten::gelu", pointwise},
      {"aten::gru", gru},
      {"aten::layer_norm", normalisation},
      {"aten::leaky_relu_", pointwise_by_output},
      {"aten::linear", product_of_two},
      {"aten::lstm", lstm},
      {"aten::matmul", product_of_two},
      {"aten::max_pool2d", pooling},
      {"aten::mul", multiplication},
      {"aten::relu_", pointwise_by_output},
      {"aten::rnn_tanh", rnn},
      {"aten::softmax", softmax},
      {"aten::tanh", pointwise_by_output},
      {"aten::upsample_nearest2d", copy},
  };
  return kRules;
}

/// Operations that make no new values.
const std::set<std::string>& moves() {
  static const std::set<std::string> kMoves = {"aten::chunk",
                                               "aten::constant_pad_nd",
                                               "aten::expand",
                                               "aten::flatten",
                                               "aten::masked_fill",
                                               "aten::narrow",
                                               "aten::randn",
                                               "aten::reshape",
                                               "aten::select",
                                               "aten::slice",
                                               "aten::t",
                                               "aten::transpose",
                                               "aten::view",
                                               "aten::zeros"};
  return kMoves;
}

}  // namespace

std::int64_t elements_per_sample(const torch::Tensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.sizes()) count *= extent == 0 ? 1 : extent;
  return count;
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
