// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/torch/networks/operation_cost.hpp"

/// Costs of kinds of operations, for the table in operation_cost.cpp; the rules are those of
/// operation_cost(). All functions throw for unexpected arguments.
namespace epochcast::real::formulas {

/// The output is the input, or a part of it.
[[nodiscard]] OperationCost moved(const OperationCall& call);
/// New elements that cost nothing and that backward reads nothing for: lookups and copies.
[[nodiscard]] OperationCost copied(const OperationCall& call);

/// A function of each element, whose backward pass reads the input.
[[nodiscard]] OperationCost pointwise(const OperationCall& call);
/// A function of each element, whose backward pass reads the output.
[[nodiscard]] OperationCost pointwise_by_output(const OperationCall& call);
/// A function of each element of two tensors, whose backward pass reads both.
[[nodiscard]] OperationCost pointwise_of_two(const OperationCall& call);
/// Two operations on each element of three tensors.
[[nodiscard]] OperationCost pointwise_of_three(const OperationCall& call);
/// One flop an element; backward reads nothing.
[[nodiscard]] OperationCost addition(const OperationCall& call);
/// Of two tensors, or of a tensor by a number, which moves.
[[nodiscard]] OperationCost multiplication(const OperationCall& call);
/// Half of the input is multiplied by a function of the other half.
[[nodiscard]] OperationCost gated(const OperationCall& call);
/// Backward multiplies by the mask. A dropout of rate 0 moves.
[[nodiscard]] OperationCost dropout(const OperationCall& call);

[[nodiscard]] OperationCost convolution(const OperationCall& call);
[[nodiscard]] OperationCost transposed_convolution(const OperationCall& call);
/// As traces have them: the seventh argument says whether it is transposed.
[[nodiscard]] OperationCost traced_convolution(const OperationCall& call);
[[nodiscard]] OperationCost product_of_two(const OperationCall& call);
[[nodiscard]] OperationCost product_added_to_bias(const OperationCall& call);
/// x W y with a matrix W for each output.
[[nodiscard]] OperationCost bilinear(const OperationCall& call);
/// softmax(q k) v of the first three arguments.
[[nodiscard]] OperationCost attention(const OperationCall& call);

/// A sum or a mean, whose backward pass reads nothing.
[[nodiscard]] OperationCost reduction(const OperationCall& call);
/// A reduction whose backward pass reads the input: a norm, an extreme, a product of all; or, with
/// two tensors, the greater or the lesser of each element.
[[nodiscard]] OperationCost reduction_by_input(const OperationCall& call);
/// A variance or a deviation: the mean, and the squared differences from it.
[[nodiscard]] OperationCost spread(const OperationCall& call);
[[nodiscard]] OperationCost normalisation(const OperationCall& call);
[[nodiscard]] OperationCost softmax(const OperationCall& call);
/// The logarithm of a sum of exponentials, as in softmax.
[[nodiscard]] OperationCost log_sum(const OperationCall& call);
/// Sums of rows of a table.
[[nodiscard]] OperationCost embedding_bag(const OperationCall& call);

/// Windows of as many dimensions as in the operation's name.
[[nodiscard]] OperationCost pooling(const OperationCall& call);
[[nodiscard]] OperationCost adaptive_pooling(const OperationCall& call);
/// Sums of 2 neighbours in each dimension, or of 4 (bicubic).
[[nodiscard]] OperationCost interpolation(const OperationCall& call);

/// Recurrent layers over all steps, in one direction or both.
[[nodiscard]] OperationCost rnn(const OperationCall& call);
[[nodiscard]] OperationCost lstm(const OperationCall& call);
[[nodiscard]] OperationCost gru(const OperationCall& call);

}  // namespace epochcast::real::formulas
