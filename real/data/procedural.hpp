// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/statistics/random.hpp"
#include "real/data/data_source.hpp"

namespace epochcast::real {

/// Generates samples of a class. Only the classes' parameters are stored; calls from several
/// threads at once are safe.
class SampleMaker {
 public:
  virtual ~SampleMaker() = default;

  /// Writes a sample of class `label` to `sample`, drawing from `random` only.
  virtual void make(std::int64_t label, Random& random, std::span<float> sample) const = 0;
  /// Of images: almost all pixels are within.
  [[nodiscard]] virtual PixelLevels pixel_levels() const { return {}; }
};

/// Coloured gratings on images {channels, rows, columns} of at least 8 x 8 pixels.
///
/// A class is an unordered pair of textures out of m, with m the smallest number that has 1.5 pairs
/// a class; so every texture occurs in several classes. A texture is a grating of an orientation, a
/// wavelength and a colour, with a faint tint. A sample shows the two of its class and, weaker,
/// a third one, each in a window of random place and size, with random phase, mirrored half
/// the time, on a smooth background, under pixel noise.
[[nodiscard]] std::unique_ptr<SampleMaker> make_textures(const std::vector<std::int64_t>& shape,
                                                         std::int64_t classes,
                                                         std::uint64_t seed);

/// Digits 0 to 9 as strokes on images {1, rows, columns}: bent, turned, sheared, scaled and shifted
/// at random, with random thickness, a stray stroke and pixel noise.
[[nodiscard]] std::unique_ptr<SampleMaker> make_digits(const std::vector<std::int64_t>& shape);
inline constexpr std::int64_t kDigits = 10;

/// Texts {tokens} of at least 16 tokens, with the vocabulary of tokens.hpp.
///
/// Two classes share two marker words and differ in their order only. A text is a start token and
/// words of falling frequency, half to all of the length, then padding; its markers occur in the
/// class's order, at most 3 words apart, once in 16 words or more often, and single markers of
/// other classes stray in. So word counts distinguish pairs of classes, but not the two classes of
/// a pair.
[[nodiscard]] std::unique_ptr<SampleMaker> make_texts(const std::vector<std::int64_t>& shape,
                                                      std::int64_t classes,
                                                      std::uint64_t seed);
/// As many as there are marker words.
inline constexpr std::int64_t kMostTextClasses = 14136;

}  // namespace epochcast::real
