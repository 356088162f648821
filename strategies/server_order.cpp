// SPDX-License-Identifier: Apache-2.0
#include "strategies/server_order.hpp"

#include <bit>
#include <span>

namespace epochcast {
namespace {

void write_set(std::span<std::int64_t> words, const std::vector<int>& members) {
  for (std::int64_t& word : words) word = 0;
  for (const int member : members) {
    const auto place = static_cast<std::size_t>(member);
    std::int64_t& word = words[place / 64];
    word = std::bit_cast<std::int64_t>(std::bit_cast<std::uint64_t>(word) | std::uint64_t{1}
                                                                                << (place % 64));
  }
}

std::vector<int> read_set(std::span<const std::int64_t> words) {
  std::vector<int> members;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (auto left = std::bit_cast<std::uint64_t>(words[i]); left != 0; left &= left - 1)
      members.push_back(static_cast<int>(64 * i) + std::countr_zero(left));
  }
  return members;
}

}  // namespace

void OrderMessage::write(const ServerOrder& order, std::int64_t active) {
  numbers_[0] = active;
  numbers_[1] = std::bit_cast<std::int64_t>(order.weight);
  numbers_[2] = std::bit_cast<std::int64_t>(order.rate);
  const auto sets = std::span(numbers_).subspan(kFirstSet);
  write_set(sets.first(words_), order.taken);
  write_set(sets.last(words_), order.answered);
}

ServerOrder OrderMessage::order() const {
  const auto sets = std::span(numbers_).subspan(kFirstSet);
  return {.taken = read_set(sets.first(words_)),
          .weight = std::bit_cast<double>(numbers_[1]),
          .rate = std::bit_cast<double>(numbers_[2]),
          .answered = read_set(sets.last(words_))};
}

}  // namespace epochcast
