// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/stochastic_levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace epochcast {
namespace {

constexpr int kByteBits = 8;

std::int64_t level_blocks(std::int64_t count) { return (count + kLevelBlock - 1) / kLevelBlock; }

/// Bits of a level.
int bits_of(int levels) {
  return static_cast<int>(std::bit_width(2 * static_cast<unsigned>(levels)));
}

/// Euclidean; NaN or infinite if a value is.
float norm_of(std::span<const float> block) {
  double squares = 0;
  for (const float value : block)
    squares += static_cast<double>(value) * static_cast<double>(value);
  return static_cast<float>(std::sqrt(squares));
}

/// 0 ... 2s for the level -s ... s.
unsigned level_of(float value, float norm, int levels, Random& random) {
  double level = 0;
  if (norm > 0 && std::isfinite(norm)) {
    const double exact = static_cast<double>(std::abs(value)) / static_cast<double>(norm) * levels;
    level = std::min<double>(levels, std::floor(exact + random.uniform()));
  }
  return static_cast<unsigned>(levels + static_cast<int>(value < 0 ? -level : level));
}

/// Writes numbers of a few bits one after the other.
class BitWriter {
 public:
  explicit BitWriter(std::byte* to) : to_(to) {}

  void write(unsigned number, int bits) {
    pending_ |= static_cast<std::uint64_t>(number) << count_;
    for (count_ += bits; count_ >= kByteBits; count_ -= kByteBits) {
      *to_++ = static_cast<std::byte>(pending_);
      pending_ >>= kByteBits;
    }
  }
  void finish() {
    if (count_ > 0) *to_ = static_cast<std::byte>(pending_);
  }

 private:
  std::byte* to_;
  std::uint64_t pending_ = 0;
  int count_ = 0;  ///< bits of pending_
};

class BitReader {
 public:
  explicit BitReader(const std::byte* from) : from_(from) {}

  unsigned read(int bits) {
    for (; count_ < bits; count_ += kByteBits)
      pending_ |= static_cast<std::uint64_t>(*from_++) << count_;
    const auto number = static_cast<unsigned>(pending_ & ((std::uint64_t{1} << bits) - 1));
    pending_ >>= bits;
    count_ -= bits;
    return number;
  }

 private:
  const std::byte* from_;
  std::uint64_t pending_ = 0;
  int count_ = 0;
};

}  // namespace

std::int64_t level_bytes(std::int64_t count, int levels) {
  return static_cast<std::int64_t>(sizeof(float)) * level_blocks(count) +
         (count * bits_of(levels) + kByteBits - 1) / kByteBits;
}

void encode_levels(std::span<const float> values,
                   int levels,
                   Random& random,
                   std::span<std::byte> code) {
  const auto blocks = static_cast<std::size_t>(level_blocks(std::ssize(values)));
  BitWriter writer(code.data() + sizeof(float) * blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t begin = i * kLevelBlock;
    const auto block =
        values.subspan(begin, std::min<std::size_t>(kLevelBlock, values.size() - begin));
    const float norm = norm_of(block);
    std::memcpy(code.data() + i * sizeof norm, &norm, sizeof norm);
    for (const float value : block)
      writer.write(level_of(value, norm, levels, random), bits_of(levels));
  }
  writer.finish();
}

void add_levels(std::span<const std::byte> code, int levels, std::span<float> values) {
  const auto blocks = static_cast<std::size_t>(level_blocks(std::ssize(values)));
  BitReader reader(code.data() + sizeof(float) * blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    float norm = 0;
    std::memcpy(&norm, code.data() + i * sizeof norm, sizeof norm);
    // Infinite times zero is NaN, too.
    const float step = norm / static_cast<float>(levels);
    const std::size_t begin = i * kLevelBlock;
    for (float& value :
         values.subspan(begin, std::min<std::size_t>(kLevelBlock, values.size() - begin))) {
      value += step * static_cast<float>(static_cast<int>(reader.read(bits_of(levels))) - levels);
    }
  }
}

}  // namespace epochcast
