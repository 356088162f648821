// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "real/data/draws.hpp"
#include "real/data/procedural.hpp"
#include "real/data/tokens.hpp"

namespace epochcast::real {
namespace {

// Words by falling frequency: an octave of ranks (1, 2-3, 4-7, ...) is as frequent as any other,
// so a word's frequency is about 1 / rank (Zipf), in integers only.
constexpr int kOctaves = 14;
constexpr std::uint64_t kFirstMarker = kFirstWord + (std::uint64_t{1} << kOctaves);
constexpr std::uint64_t kMarkers = kVocabulary - kFirstMarker;
static_assert(kMarkers == kMostTextClasses);
constexpr std::uint64_t kWordsPerPair = 16;
constexpr std::uint64_t kGap = 3;

class ProceduralTexts : public SampleMaker {
 public:
  ProceduralTexts(const std::vector<std::int64_t>& shape, std::int64_t classes, std::uint64_t seed)
      : length_(static_cast<std::uint64_t>(shape[0])) {
    const std::uint64_t markers = 2 * ((static_cast<std::uint64_t>(classes) + 1) / 2);
    Random random(seed);
    std::vector<float> all;
    for (std::uint64_t i = 0; i < kMarkers; ++i) {
      all.push_back(static_cast<float>(kFirstMarker + i));
    }
    for (std::uint64_t i = 0; i < markers; ++i) {
      std::swap(all[i], all[i + draw_below(kMarkers - i, random)]);
    }
    markers_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(markers));
  }

  void make(std::int64_t label, Random& random, std::span<float> sample) const override {
    const std::uint64_t words = length_ / 2 + draw_below(length_ - length_ / 2, random);
    std::fill(sample.begin(), sample.end(), static_cast<float>(kPadding));
    sample[0] = static_cast<float>(kTextStart);
    for (std::uint64_t i = 1; i <= words; ++i) sample[i] = draw_word(random);
    // Strays first, since a pair may overwrite them.
    for (std::uint64_t i = 0; i < words / kWordsPerPair + 1; ++i) {
      sample[1 + draw_below(words, random)] = markers_[draw_below(markers_.size(), random)];
    }
    const auto number = static_cast<std::size_t>(label);
    const float one = markers_[number];
    const float other = markers_[number ^ 1U];
    // One pair in each stretch of words, so that no pair overwrites another.
    for (std::uint64_t begin = 1; begin + kWordsPerPair <= words + 1 || begin == 1;
         begin += kWordsPerPair) {
      const std::uint64_t stretch = std::min(kWordsPerPair, words + 1 - begin);
      const std::uint64_t gap = 1 + draw_below(kGap, random);
      const std::uint64_t at = begin + draw_below(stretch - gap, random);
      sample[at] = one;
      sample[at + gap] = other;
    }
  }

 private:
  static float draw_word(Random& random) {
    const std::uint64_t octave = draw_below(kOctaves, random);
    const std::uint64_t words = std::uint64_t{1} << octave;
    const std::uint64_t rank = words + draw_below(words, random);
    return static_cast<float>(kFirstWord + rank - 1);
  }

  std::uint64_t length_;
  std::vector<float> markers_;  ///< those of classes 2 i and 2 i + 1 are at 2 i and 2 i + 1
};

}  // namespace

std::unique_ptr<SampleMaker> make_texts(const std::vector<std::int64_t>& shape,
                                        std::int64_t classes,
                                        std::uint64_t seed) {
  return std::make_unique<ProceduralTexts>(shape, classes, seed);
}

}  // namespace epochcast::real
