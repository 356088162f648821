// SPDX-License-Identifier: Apache-2.0
#include "strategies/peers.hpp"

#include "strategies/averaging.hpp"
#include "strategies/training.hpp"

namespace epochcast {

int log2_ceiling(std::int64_t count) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < count) ++bits;
  return bits;
}

void PayloadCopy::assign(const Payload& like, bool copies) {
  payload_ = like;
  const std::span<const float> numbers = values<float>(like);
  if (copies) {
    floats_.assign(numbers.begin(), numbers.end());
  } else {
    floats_.resize(numbers.size());
  }
  payload_.data = std::as_writable_bytes(std::span(floats_));
}

void train_with_peers(Worker& worker,
                      std::int64_t cycle,
                      const std::function<void(std::int64_t)>& iterate) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  const std::int64_t cycles = iterations / cycle;
  const std::int64_t rest = iterations - cycles * cycle;
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;

  const auto make = [&](std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) iterate(k);
  };
  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, 1, iterations);
    if (cycles > 0) {
      repeat(worker, fabric.world(), cycles, [&](std::int64_t) { make(cycle); });
    }
    if (rest > 0) {
      repeat(worker, fabric.world(), 1, [&](std::int64_t) { make(rest); });
    }
    average_parameters(worker, 1.0 / workers);
  });
}

}  // namespace epochcast
