// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/operation_formulas.hpp"

#include <cstddef>
#include <stdexcept>

namespace epochcast::real::formulas {
namespace {

constexpr std::int64_t kFlopPerMultiplyAdd = 2;
constexpr std::int64_t kFlopPerNormalisedElement = 4;
constexpr std::int64_t kFlopPerSoftmaxElement = 5;
constexpr std::int64_t kFlopPerSpreadElement = 3;  // the mean, the difference, its square

torch::Tensor argument(const OperationCall& call, std::size_t index = 0) {
  return call.inputs.at(index).toTensor();
}

torch::Tensor result(const OperationCall& call) { return call.outputs.at(0).toTensor(); }

/// The dimensions that "aten::max_pool3d" names.
std::int64_t dimensions_of(const std::string& name) {
  const std::size_t digit = name.find_first_of("123");
  if (digit == std::string::npos) throw std::invalid_argument(name + " names no dimensions");
  return name[digit] - '0';
}

/// Every weight is used once for each position of the output or, in a transposed convolution, of
/// the input. `channels`: of these maps, which may be frames of one sample.
OperationCost convolved(const OperationCall& call,
                        const torch::Tensor& maps,
                        std::int64_t channels) {
  const std::int64_t multiply_adds = argument(call, 1).numel() * (call.elements(maps) / channels);
  return {.forward_flop = kFlopPerMultiplyAdd * multiply_adds,
          .multiply_adds = multiply_adds,
          .read = {argument(call)}};
}

OperationCost product(const OperationCall& call,
                      const torch::Tensor& left,
                      const torch::Tensor& right) {
  const std::int64_t multiply_adds = left.size(-1) * call.elements(result(call));
  return {.forward_flop = kFlopPerMultiplyAdd * multiply_adds,
          .multiply_adds = multiply_adds,
          .read = {left, right}};
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

/// The operations of a recurrent cell per hidden unit and step, beside its products.
struct Cell {
  std::int64_t gates;
  std::int64_t flop;  ///< of one element
  std::int64_t kept;  ///< values that backward through time reads, beside the output
};

/// Samples [batch, steps, inputs], [steps, batch, inputs], or all steps of all samples in rows. The
/// list of weights has, for each layer and direction, those of the input, of the hidden state, and
/// of a projection of it, if there is one; biases may be between.
OperationCost recurrence(const OperationCall& call, const Cell& cell) {
  constexpr std::int64_t kFloatBytes = 4;
  std::size_t place = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.inputs[i].isTensorList()) place = i;
  }
  const auto layers = call.inputs.at(place + 2).toInt();
  const std::int64_t directions = call.inputs.at(place + 5).toBool() ? 2 : 1;
  std::vector<torch::Tensor> matrices;
  for (const torch::Tensor& weight : call.inputs.at(place).toTensorVector()) {
    if (weight.dim() == 2) matrices.push_back(weight);
  }
  const std::size_t of_each = matrices.size() / static_cast<std::size_t>(layers * directions);
  if (of_each < 2) throw std::invalid_argument(call.name + " lacks weights");
  const torch::Tensor samples = argument(call);
  const std::int64_t steps = call.elements(samples) / samples.size(-1);
  OperationCost cost = {.read = {samples, result(call)}};
  std::int64_t between = 0;  // hidden states between layers
  for (std::size_t i = 0; i + of_each <= matrices.size(); i += of_each) {
    const std::int64_t hidden = matrices[i + 1].size(0) / cell.gates;
    for (std::size_t j = i; j < i + of_each; ++j) cost.multiply_adds += steps * matrices[j].numel();
    cost.forward_flop += steps * cell.flop * hidden;
    const bool is_last = static_cast<std::int64_t>(i / of_each) >= (layers - 1) * directions;
    if (!is_last) between += matrices[i + 1].size(1);
    cost.kept_inside_bytes += kFloatBytes * steps * cell.kept * hidden;
  }
  cost.kept_inside_bytes += kFloatBytes * steps * between;
  cost.forward_flop += kFlopPerMultiplyAdd * cost.multiply_adds;
  return cost;
}

}  // namespace

OperationCost moved(const OperationCall& /*call*/) { return {.moves = true}; }

OperationCost copied(const OperationCall& /*call*/) { return {}; }

OperationCost pointwise(const OperationCall& call) {
  return {.forward_flop = call.elements(result(call)), .read = {argument(call)}};
}

OperationCost pointwise_by_output(const OperationCall& call) {
  return {.forward_flop = call.elements(result(call)), .read = {result(call)}};
}

OperationCost pointwise_of_two(const OperationCall& call) {
  return {.forward_flop = call.elements(result(call)), .read = {argument(call), argument(call, 1)}};
}

OperationCost pointwise_of_three(const OperationCall& call) {
  OperationCost cost = {.forward_flop = 2 * call.elements(result(call))};
  for (std::size_t i = 0; i < 3; ++i) {
    if (call.inputs.at(i).isTensor()) cost.read.push_back(argument(call, i));
  }
  return cost;
}

OperationCost addition(const OperationCall& call) {
  return {.forward_flop = call.elements(result(call))};
}

OperationCost multiplication(const OperationCall& call) {
  if (!call.inputs.at(1).isTensor()) return {.moves = true};
  const torch::Tensor left = argument(call);
  const torch::Tensor right = argument(call, 1);
  OperationCost cost = {.forward_flop = call.elements(result(call))};
  if (right.requires_grad()) cost.read.push_back(left);
  if (left.requires_grad()) cost.read.push_back(right);
  return cost;
}

OperationCost gated(const OperationCall& call) {
  return {.forward_flop = 2 * call.elements(result(call)), .read = {argument(call)}};
}

OperationCost dropout(const OperationCall& call) {
  const bool drops = call.inputs.at(1).toDouble() > 0 && call.inputs.at(2).toBool();
  return drops ? addition(call) : moved(call);
}

OperationCost convolution(const OperationCall& call) {
  return convolved(call, result(call), argument(call, 1).size(0));
}

OperationCost transposed_convolution(const OperationCall& call) {
  return convolved(call, argument(call), argument(call, 1).size(0));
}

OperationCost traced_convolution(const OperationCall& call) {
  return call.inputs.at(6).toBool() ? transposed_convolution(call) : convolution(call);
}

OperationCost product_of_two(const OperationCall& call) {
  return product(call, argument(call), argument(call, 1));
}

OperationCost product_added_to_bias(const OperationCall& call) {
  return product(call, argument(call, 1), argument(call, 2));
}

OperationCost bilinear(const OperationCall& call) {
  const torch::Tensor weight = argument(call, 2);
  const std::int64_t rows = call.elements(result(call)) / weight.size(0);
  const std::int64_t multiply_adds = rows * (weight.numel() + weight.size(0) * weight.size(2));
  return {.forward_flop = kFlopPerMultiplyAdd * multiply_adds,
          .multiply_adds = multiply_adds,
          .read = {argument(call), argument(call, 1)}};
}

OperationCost attention(const OperationCall& call) {
  const torch::Tensor query = argument(call);
  const torch::Tensor key = argument(call, 1);
  const torch::Tensor value = argument(call, 2);
  const std::int64_t scores = call.elements(query) / query.size(-1) * key.size(-2);
  const std::int64_t multiply_adds = scores * (query.size(-1) + value.size(-1));
  return {.forward_flop = kFlopPerMultiplyAdd * multiply_adds + kFlopPerSoftmaxElement * scores,
          .multiply_adds = multiply_adds,
          .read = {query, key, value, result(call)}};
}

OperationCost reduction(const OperationCall& call) {
  return {.forward_flop = call.elements(argument(call))};
}

OperationCost reduction_by_input(const OperationCall& call) {
  const bool is_of_two = call.inputs.size() == 2 && call.inputs[1].isTensor();
  if (is_of_two) return pointwise_of_two(call);
  return {.forward_flop = call.elements(argument(call)), .read = {argument(call)}};
}

OperationCost spread(const OperationCall& call) {
  return {.forward_flop = kFlopPerSpreadElement * call.elements(argument(call)),
          .read = {argument(call)}};
}

OperationCost normalisation(const OperationCall& call) {
  return {.forward_flop = kFlopPerNormalisedElement * call.elements(result(call)),
          .read = {argument(call)}};
}

OperationCost softmax(const OperationCall& call) {
  return {.forward_flop = kFlopPerSoftmaxElement * call.elements(argument(call)),
          .read = {result(call)}};
}

OperationCost log_sum(const OperationCall& call) {
  return {.forward_flop = kFlopPerSoftmaxElement * call.elements(argument(call)),
          .read = {argument(call), result(call)}};
}

OperationCost embedding_bag(const OperationCall& call) {
  return {.forward_flop = call.elements(argument(call, 1)) * argument(call).size(-1)};
}

OperationCost pooling(const OperationCall& call) {
  const std::vector<std::int64_t> window = call.inputs.at(1).toIntVector();
  std::int64_t size = 1;  // a size of 1 is broadcast
  for (std::int64_t i = 0; i < dimensions_of(call.name); ++i)
    size *= window.size() == 1 ? window.front() : window.at(static_cast<std::size_t>(i));
  return {.forward_flop = size * call.elements(result(call)), .read = {argument(call)}};
}

OperationCost adaptive_pooling(const OperationCall& call) {
  const torch::Tensor maps = argument(call);
  const torch::Tensor pooled = result(call);
  std::int64_t count = call.elements(maps);
  for (std::int64_t i = 1; i <= dimensions_of(call.name); ++i)
    count = count / maps.size(-i) * covered(maps.size(-i), pooled.size(-i));
  return {.forward_flop = count, .read = {maps}};
}

OperationCost interpolation(const OperationCall& call) {
  const bool is_cubic = call.name.find("cubic") != std::string::npos;
  std::int64_t neighbours = 1;
  for (std::int64_t i = 0; i < dimensions_of(call.name); ++i) neighbours *= is_cubic ? 4 : 2;
  return {.forward_flop = kFlopPerMultiplyAdd * neighbours * call.elements(result(call))};
}

/// h = tanh(ih + hh): one sum, one function.
OperationCost rnn(const OperationCall& call) {
  return recurrence(call, {.gates = 1, .flop = 2, .kept = 0});
}

/// Four sums and four functions; c = f c + i g (3), h = o tanh(c) (2). Keeps the gates and c.
OperationCost lstm(const OperationCall& call) {
  return recurrence(call, {.gates = 4, .flop = 13, .kept = 5});
}

/// Three sums and three functions; r hn (1), h = (1 - z) n + z h (4). Keeps the gates and hn.
OperationCost gru(const OperationCall& call) {
  return recurrence(call, {.gates = 3, .flop = 11, .kept = 4});
}

}  // namespace epochcast::real::formulas
