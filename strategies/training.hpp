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

/// Fabric::repeat() over the iterations that are left, which is all unless the job was interrupted.
/// `changes`: ascending, the iterations from which on the body does other work. Returns how many
/// iterations were left.
std::int64_t repeat(Worker& worker,
                    const Communicator& among,
                    std::int64_t count,
                    const std::function<void(std::int64_t)>& body,
                    const std::vector<std::int64_t>& changes = {});

/// Everybody starts from rank 0's parameters, then runs `epoch(e)` for every epoch; the report says
/// what those took that were run from start to end. `changes`: the epochs from which on others are
/// of another kind.
void train_epochs(Worker& worker,
                  const std::function<void(std::int64_t)>& epoch,
                  const std::vector<std::int64_t>& changes = {});

/// Computes the gradient of the next batch and replaces it by Σ weight_q · gradient_q over `among`:
/// at once, or bucket by bucket while backward goes on. A worker that only sums contributes
/// nothing.
void all_reduce_gradients(Worker& worker,
                          std::int64_t batch,
                          double weight,
                          const Communicator& among);

/// Every worker's seconds for a batch of its own size, measured now, by rank.
[[nodiscard]] SharedNumbers benchmark_all(Worker& worker, std::int64_t batch);

/// What `measure` has returned when it was first called under this name, also if that was before an
/// interruption.
[[nodiscard]] SharedNumbers remembered(Worker& worker,
                                       const std::string& name,
                                       const std::function<SharedNumbers()>& measure);

/// Everybody trains on `steps` batches of B samples between exchanges, of which an epoch has
/// `count`.
void use_equal_share(Worker& worker, std::int64_t steps, std::int64_t count);

}  // namespace epochcast
