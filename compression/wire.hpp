// SPDX-License-Identifier: Apache-2.0
// Buffers of exchanges, and the bytes that collectives send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

/// Bytes to send or to receive; in worlds without numbers only their count. Copies share memory.
class WireBuffer {
 public:
  WireBuffer() = default;
  WireBuffer(std::int64_t bytes, bool has_numbers) : count_(bytes) {
    if (has_numbers)
      memory_ = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  }

  [[nodiscard]] std::span<std::byte> bytes() const {
    return memory_ ? std::span<std::byte>(*memory_) : std::span<std::byte>();
  }
  /// As numbers of a type.
  template <typename T>
  [[nodiscard]] std::span<T> as() const {
    return {reinterpret_cast<T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  [[nodiscard]] Payload payload(Element element = Element::byte) const {
    return {.element = element,
            .count = count_ / static_cast<std::int64_t>(size_of(element)),
            .data = bytes()};
  }
  /// Part number `i` of equal ones.
  [[nodiscard]] std::span<std::byte> part(int i, std::int64_t part_bytes) const {
    return bytes().subspan(static_cast<std::size_t>(i * part_bytes),
                           static_cast<std::size_t>(part_bytes));
  }

 private:
  std::int64_t count_ = 0;
  std::shared_ptr<std::vector<std::byte>> memory_;
};

/// Bytes that all members send for an all-reduce of `bytes`.
[[nodiscard]] constexpr double all_reduce_wire_bytes(double bytes, int members) {
  return 2.0 * (members - 1) * bytes;
}
/// Bytes that all members send for an all-gather of parts that are `all_bytes` together.
[[nodiscard]] constexpr double all_gather_wire_bytes(double all_bytes, int members) {
  return (members - 1) * all_bytes;
}

}  // namespace epochcast
