// SPDX-License-Identifier: Apache-2.0
// Averages of parameters among all workers, and the steps of outer optimizers after them.
#pragma once

#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {

/// The tensors of all gradients, in the order of their numbers: backward finishes the last first.
[[nodiscard]] TensorShapes all_tensors(const std::vector<TensorShapes>& buckets);

/// Gives all workers rank 0's parameters.
void share_parameters(Worker& worker);
/// Outer steps and compressed differences begin with the present parameters, which workers have in
/// common.
void keep_common(Worker& worker);

/// Replaces all workers' parameters by Σ weight_q · parameters_q; weights sum to 1. With a
/// compression, of their differences to the last common parameters; then makes the worker's
/// outer_step. The worker says that it averages_parameters before train_epochs().
void average_parameters(Worker& worker, double weight);

/// The numbers of a range that the workers had last in common; none in worlds without numbers. Kept
/// for jobs with a compression or an outer step.
[[nodiscard]] std::span<float> common_parameters(Worker& worker, const ParameterRange& range);

/// The same for a range. `numbers`: its parameters, or a copy of them; these and
/// common_parameters() then have the parameters to continue with.
void average_range(Worker& worker,
                   double weight,
                   const ParameterRange& range,
                   const Payload& numbers);
/// Starts the same; the result is called once to finish it.
[[nodiscard]] Compression::Finish start_average(Worker& worker,
                                                double weight,
                                                const ParameterRange& range,
                                                const Payload& numbers);

/// How often the kernel of an outer step with momentum passes a range: it reads the average, the
/// common parameters and the momentum, and writes them.
inline constexpr double kOuterStepPasses = 6;
/// The numbers at the beginning of a range that are trained, of which an outer step has a momentum;
/// BatchNorm statistics follow them. 0 in worlds without numbers.
[[nodiscard]] std::size_t trained_count(Worker& worker,
                                        const ParameterRange& range,
                                        std::span<const float> numbers);

}  // namespace epochcast
