// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {

/// Workers that compute gradients: P of the papers.
[[nodiscard]] int trainer_count(const Fabric& fabric);
/// All of them; they all call this.
[[nodiscard]] const Communicator& trainers(Fabric& fabric, const std::string& all_reduce);

/// K = ⌊N / global batch⌋. Throws a UserError when the data set is smaller than one global batch.
[[nodiscard]] std::int64_t iterations_per_epoch(std::int64_t train_samples,
                                                std::int64_t global_batch);

/// T = ⌊N / (P·B·H)⌋, the rounds of local SGD in an epoch (arXiv 2508.08540).
/// Throws a UserError when not even one round fits.
[[nodiscard]] std::int64_t rounds_per_epoch(std::int64_t train_samples,
                                            std::int64_t workers,
                                            std::int64_t batch,
                                            std::int64_t local_steps);

/// Fabric::repeat() over the remaining iterations: all, unless the job was resumed. `changes`:
/// ascending, the iterations from which on the body does other work. Returns the number of
/// remaining iterations.
std::int64_t repeat(Worker& worker,
                    const Communicator& among,
                    std::int64_t count,
                    const std::function<void(std::int64_t)>& body,
                    const std::vector<std::int64_t>& changes = {});

/// All workers start with rank 0's parameters, then run `epoch(e)` for every epoch; the report has
/// the times of complete epochs. `changes`: the first epochs of another kind.
void train_epochs(Worker& worker,
                  const std::function<void(std::int64_t)>& epoch,
                  const std::vector<std::int64_t>& changes = {});

/// Computes the gradient of the next batch and replaces it by Σ weight_q · gradient_q over `among`:
/// at once, or bucket by bucket while backward goes on. A worker that only sums contributes
/// nothing. With a compression, by what that lets through; exchanges of several stages begin the
/// later ones after backward.
void all_reduce_gradients(Worker& worker,
                          std::int64_t batch,
                          double weight,
                          const Communicator& among);
/// The same without compression.
void all_reduce_whole_gradients(Worker& worker,
                                std::int64_t batch,
                                double weight,
                                const Communicator& among);

/// So many iterations: all_reduce_gradients() and a step, or train_dear().
void train_iterations(Worker& worker,
                      std::int64_t iterations,
                      std::int64_t batch,
                      double weight,
                      const Communicator& among);

/// Every worker's seconds for a batch of its own size, measured now, by rank.
[[nodiscard]] SharedNumbers benchmark_all(Worker& worker, std::int64_t batch);

/// The result of the first call of `measure` under this name, even if that was before an
/// interruption.
[[nodiscard]] SharedNumbers remembered(Worker& worker,
                                       const std::string& name,
                                       const std::function<SharedNumbers()>& measure);

/// The samples of an epoch that this worker has trained on, if it took `mine` of those that were
/// run, and all workers together take `all`. Collective among all workers.
[[nodiscard]] std::int64_t samples_of_epoch(Worker& worker, std::int64_t mine, std::int64_t all);

/// Every worker trains on `steps` batches of B samples between exchanges; an epoch has `count`
/// exchanges.
void use_equal_share(Worker& worker, std::int64_t steps, std::int64_t count);

}  // namespace epochcast
