// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "base/numbers/half.hpp"

namespace epochcast {

/// The type of a payload's elements.
enum class Element : std::uint8_t { float32, float16, bfloat16, int8, int32, int64, byte };

/// Calls `use(T())` with the C++ type of an element. Bytes add up modulo 256.
template <typename Use>
decltype(auto) with_element(Element element, const Use& use) {
  switch (element) {
    case Element::float16:
      return use(Float16());
    case Element::bfloat16:
      return use(BFloat16());
    case Element::int8:  // NOLINT(bugprone-branch-clone): other types
      return use(std::int8_t());
    case Element::int32:
      return use(std::int32_t());
    case Element::int64:
      return use(std::int64_t());
    case Element::byte:
      return use(std::uint8_t());
    case Element::float32:
      break;
  }
  return use(float());
}

/// The element of a C++ type, the inverse of with_element().
template <typename T>
constexpr Element element_of() {
  if constexpr (std::is_same_v<T, float>) return Element::float32;
  if constexpr (std::is_same_v<T, Float16>) return Element::float16;
  if constexpr (std::is_same_v<T, BFloat16>) return Element::bfloat16;
  if constexpr (std::is_same_v<T, std::int8_t>) return Element::int8;
  if constexpr (std::is_same_v<T, std::int32_t>) return Element::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Element::int64;
  return Element::byte;
}

/// Bytes of one element.
[[nodiscard]] inline std::size_t size_of(Element element) {
  return with_element(element, [](auto zero) { return sizeof zero; });
}

/// Data sent between workers: with numbers if the job computes them, else only their type and
/// count.
struct Payload {
  Element element = Element::float32;
  std::int64_t count = 0;          ///< elements
  std::span<std::byte> data = {};  ///< of all elements; empty in worlds without numbers
  /// Of all elements, where they stand for fewer or more than they have: a rehearsal computes in
  /// float32 what its job sends in another format. 0: as many as they have.
  double charged_bytes = 0;

  /// Bytes that travel.
  [[nodiscard]] double bytes() const {
    return charged_bytes > 0 ? charged_bytes
                             : static_cast<double>(size_of(element)) * static_cast<double>(count);
  }
  /// Whether its numbers are known. A payload without elements has none to know.
  [[nodiscard]] bool has_numbers() const { return !data.empty(); }
};

/// These numbers as a payload. They stay where they are.
template <typename T, std::size_t N>
[[nodiscard]] Payload payload_of(std::span<T, N> numbers) {
  return {.element = element_of<T>(),
          .count = static_cast<std::int64_t>(numbers.size()),
          .data = std::as_writable_bytes(numbers)};
}

/// A payload without numbers.
[[nodiscard]] inline Payload payload_of_bytes(double bytes) {
  return {.element = Element::byte, .count = std::llround(bytes), .charged_bytes = bytes};
}

/// As many float32 as have these bytes, without numbers.
[[nodiscard]] inline Payload floats_of_bytes(double bytes) {
  return {.element = Element::float32,
          .count = static_cast<std::int64_t>(std::ceil(bytes / sizeof(float)))};
}

/// The numbers of a payload, in place; none in worlds without them. Throws std::logic_error if they
/// are of another type.
template <typename T>
[[nodiscard]] std::span<T> values(const Payload& payload) {
  if (payload.element != element_of<T>())
    throw std::logic_error("a payload was read as another type than it has");
  // Memory that was allocated as T.
  return {reinterpret_cast<T*>(payload.data.data()), payload.data.size() / sizeof(T)};
}

/// `count` of its elements, from the `begin`-th on.
[[nodiscard]] inline Payload slice(const Payload& payload, std::int64_t begin, std::int64_t count) {
  const auto size = size_of(payload.element);
  return {.element = payload.element,
          .count = count,
          .data = payload.has_numbers()
                      ? payload.data.subspan(size * static_cast<std::size_t>(begin),
                                             size * static_cast<std::size_t>(count))
                      : std::span<std::byte>(),
          .charged_bytes = payload.count > 0 ? payload.charged_bytes * static_cast<double>(count) /
                                                   static_cast<double>(payload.count)
                                             : 0};
}

/// Throws std::logic_error for integers and bytes with a weight other than 1.
inline void check_weight(Element element, double weight) {
  if (weight == 1) return;
  with_element(element, [](auto zero) {
    if constexpr (std::is_integral_v<decltype(zero)>)
      throw std::logic_error("integers are added without weights");
  });
}

/// Multiplies every number by `weight`: in float32, rounded once, for float16 and bfloat16. Throws
/// as check_weight().
inline void scale(const Payload& payload, double weight) {
  check_weight(payload.element, weight);
  if (weight == 1) return;
  with_element(payload.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) {
      const auto factor = static_cast<float>(weight);
      for (T& value : values<T>(payload)) value = T(factor * static_cast<float>(value));
    }
  });
}

}  // namespace epochcast
