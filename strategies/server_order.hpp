// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace epochcast {

/// The order to all parameter servers about the gradients that have arrived.
struct ServerOrder {
  std::vector<int> taken = {};     ///< ascending: workers whose gradients are added to the sum
  double weight = 1;               ///< of each of them
  double rate = 0;                 ///< times the learning rate, of an update with the sum; 0: none
  std::vector<int> answered = {};  ///< ascending: get parameters, after the update
};

/// An order as a message from the first server to another one.
class OrderMessage {
 public:
  /// For jobs of so many workers.
  explicit OrderMessage(int workers)
      : words_((static_cast<std::size_t>(workers) + kBits - 1) / kBits),
        numbers_(kFirstSet + 2 * words_) {}

  /// `active`: workers that are still in the epoch.
  void write(const ServerOrder& order, std::int64_t active);
  [[nodiscard]] ServerOrder order() const;
  [[nodiscard]] std::int64_t active() const { return numbers_[0]; }
  [[nodiscard]] std::vector<std::int64_t>& numbers() { return numbers_; }

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kFirstSet = 3;

  std::size_t words_;  ///< of a set of workers
  std::vector<std::int64_t> numbers_;
};

}  // namespace epochcast
