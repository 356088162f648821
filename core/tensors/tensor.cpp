// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/tensor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace epochcast {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::int64_t kMostElements = std::int64_t{1} << 62;

struct TypeFacts {
  std::string_view name;
  std::size_t bytes;
  bool is_floating;
};

/// In the order of ElementType.
constexpr std::array<TypeFacts, 12> kTypeFacts = {{{"bool", 1, false},
                                                   {"uint8", 1, false},
                                                   {"int8", 1, false},
                                                   {"uint16", 2, false},
                                                   {"int16", 2, false},
                                                   {"uint32", 4, false},
                                                   {"int32", 4, false},
                                                   {"int64", 8, false},
                                                   {"float16", 2, true},
                                                   {"bfloat16", 2, true},
                                                   {"float32", 4, true},
                                                   {"float64", 8, true}}};

const TypeFacts& facts_of(ElementType type) { return kTypeFacts[static_cast<std::size_t>(type)]; }

/// IEEE 754's binary16: a sign, 5 bits of exponent, 10 of fraction.
struct Half {
  std::uint16_t bits;

  explicit operator float() const {
    constexpr int kInfinite = 31;
    const int exponent = bits >> 10 & kInfinite;
    const auto fraction = static_cast<float>(bits & 0x3ff);
    float number = 0;
    if (exponent == kInfinite) {
      number = fraction == 0 ? std::numeric_limits<float>::infinity()
                             : std::numeric_limits<float>::quiet_NaN();
    } else {
      number = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
    }
    return (bits & 0x8000) != 0 ? -number : number;
  }
};

/// The upper half of a binary32.
struct BFloat {
  std::uint16_t bits;

  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Element `index` of numbers that need not be aligned.
template <typename Number>
Number number_at(const char* numbers, std::int64_t index) {
  Number number;
  std::memcpy(&number, numbers + static_cast<std::size_t>(index) * sizeof(Number), sizeof(Number));
  return number;
}

/// Calls `call` with a value of the type of integers that is stored.
template <typename Call>
auto with_integers(ElementType type, Call call) {
  switch (type) {
    case ElementType::int8:
      return call(std::int8_t{});
    case ElementType::uint16:
      return call(std::uint16_t{});
    case ElementType::int16:
      return call(std::int16_t{});
    case ElementType::uint32:
      return call(std::uint32_t{});
    case ElementType::int32:
      return call(std::int32_t{});
    case ElementType::int64:
      return call(std::int64_t{});
    default:
      return call(std::uint8_t{});
  }
}

/// The same with all types.
template <typename Call>
auto with_numbers(ElementType type, Call call) {
  switch (type) {
    case ElementType::float16:
      return call(Half{});
    case ElementType::bfloat16:
      return call(BFloat{});
    case ElementType::float32:
      return call(float{});
    case ElementType::float64:
      return call(double{});
    default:
      return with_integers(type, call);
  }
}

}  // namespace

std::string_view to_string(ElementType type) { return facts_of(type).name; }

std::size_t bytes_of(ElementType type) { return facts_of(type).bytes; }

bool is_floating(ElementType type) { return facts_of(type).is_floating; }

std::int64_t Tensor::elements_of(std::span<const std::int64_t> shape) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 0; }))
    return kMostElements + 1;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) {
    if (elements > kMostElements / size) return kMostElements + 1;
    elements *= size;
  }
  return elements;
}

Tensor::Tensor(ElementType type,
               std::vector<std::int64_t> shape,
               std::string_view numbers,
               std::shared_ptr<const MappedFile> file)
    : type_(type),
      shape_(std::move(shape)),
      elements_(elements_of(shape_)),
      numbers_(numbers),
      file_(std::move(file)) {
  assert(numbers_.size() == static_cast<std::size_t>(elements_) * bytes_of(type_));
}

void Tensor::read(std::int64_t first, std::span<float> numbers) const {
  assert(first >= 0 && std::cmp_less_equal(numbers.size(), elements_ - first));
  with_numbers(type_, [&](auto stored) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      numbers[i] = static_cast<float>(number_at<decltype(stored)>(numbers_.data(), index));
    }
  });
}

std::int64_t Tensor::integer(std::int64_t index) const {
  assert(!is_floating(type_) && index >= 0 && index < elements_);
  return with_integers(type_, [&](auto stored) {
    return static_cast<std::int64_t>(number_at<decltype(stored)>(numbers_.data(), index));
  });
}

Tensor::Range Tensor::range() const {
  assert(!is_floating(type_));
  if (elements_ == 0) return {};
  return with_integers(type_, [&](auto stored) -> Range {
    using Number = decltype(stored);
    Number least = number_at<Number>(numbers_.data(), 0);
    Number greatest = least;
    for (std::int64_t i = 1; i < elements_; ++i) {
      const auto number = number_at<Number>(numbers_.data(), i);
      least = std::min(least, number);
      greatest = std::max(greatest, number);
    }
    return {.least = static_cast<std::int64_t>(least),
            .greatest = static_cast<std::int64_t>(greatest)};
  });
}

}  // namespace epochcast
