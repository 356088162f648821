// SPDX-License-Identifier: Apache-2.0
// Shared by gossip and decentralized: training in which workers exchange parameters with few peers,
// by a graph that changes from iteration to iteration.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {

/// The smallest n with 2^n >= count; 0 for counts below 2.
[[nodiscard]] int log2_ceiling(std::int64_t count);

/// Numbers in a buffer of their own, as many as another payload's; none in worlds without numbers.
class PayloadCopy {
 public:
  /// Takes the other's size, and its numbers if `copies`.
  void assign(const Payload& like, bool copies);
  [[nodiscard]] const Payload& payload() const { return payload_; }

 private:
  std::vector<float> floats_;
  Payload payload_;
};

/// Trains all epochs on equal shares: `iterate(k)` makes iteration k of an epoch, and exchanges
/// with the peers of iteration k mod `cycle`. Iterations of a cycle cross different links, so a
/// whole cycle is an iteration of the simulated loop.
///
/// Every epoch ends with an average of all workers' parameters, which is tested and saved.
void train_with_peers(Worker& worker,
                      std::int64_t cycle,
                      const std::function<void(std::int64_t)>& iterate);

}  // namespace epochcast
