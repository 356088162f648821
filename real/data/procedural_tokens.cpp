// SPDX-License-Identifier: Apache-2.0
#include "real/data/procedural_tokens.hpp"

#include <bit>
#include <cassert>
#include <utility>
#include <vector>

#include "base/statistics/random.hpp"
#include "real/data/draws.hpp"

namespace epochcast::real {
namespace {

class ProceduralTokens : public DataSource {
 public:
  ProceduralTokens(const Dataset& dataset,
                   std::int64_t size,
                   std::uint64_t language,
                   std::uint64_t samples)
      : shape_(dataset.shape),
        vocabulary_(static_cast<std::uint64_t>(dataset.classes)),
        size_(size),
        language_(language),
        samples_(samples) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override {
    return static_cast<std::int64_t>(vocabulary_);
  }
  [[nodiscard]] Targets targets() const override {
    return {.kind = TargetKind::tokens, .shape = shape_};
  }

  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> /*variant*/,
                    std::span<float> sample) const override {
    const std::vector<std::uint64_t> text = text_of(index);
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = static_cast<float>(text[i]);
    return 0;
  }
  void load_targets(std::int64_t index, std::span<float> targets) const override {
    const std::vector<std::uint64_t> text = text_of(index);
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<float>(text[i + 1]);
  }

 private:
  [[nodiscard]] std::vector<std::uint64_t> text_of(std::int64_t index) const {
    assert(index >= 0 && index < size_);
    Random random(mix_seed(samples_, static_cast<std::uint64_t>(index)));
    std::vector<std::uint64_t> text(static_cast<std::size_t>(shape_[0]) + 1);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = next(text, i, random);
    return text;
  }

  [[nodiscard]] std::uint64_t next(const std::vector<std::uint64_t>& text,
                                   std::size_t place,
                                   Random& random) const {
    constexpr std::uint64_t kEighths = 8;
    const std::uint64_t kind = draw_below(kEighths, random);
    const std::uint64_t frequent = draw_frequent(random);
    const std::uint64_t eighth = draw_below(kEighths, random);
    if (place < 2 || kind == 0) return frequent;
    if (kind == 1 && place >= kEcho) return text[place - kEcho];
    const std::uint64_t successor = eighth < 4 ? 0 : eighth < 6 ? 1 : eighth == 6 ? 2 : 3;
    const std::uint64_t parity = text[place - 2] % 2;
    return mix_seed(mix_seed(language_, text[place - 1]), 4 * parity + successor) % vocabulary_;
  }

  /// An octave of ranks is as frequent as any other: 0, 1-2, 3-6, ...
  [[nodiscard]] std::uint64_t draw_frequent(Random& random) const {
    const auto octaves = static_cast<std::uint64_t>(std::bit_width(vocabulary_));
    const std::uint64_t words = std::uint64_t{1} << draw_below(octaves, random);
    return (words - 1 + draw_below(words, random)) % vocabulary_;
  }

  std::vector<std::int64_t> shape_;
  std::uint64_t vocabulary_;
  std::int64_t size_;
  std::uint64_t language_;
  std::uint64_t samples_;
};

}  // namespace

std::unique_ptr<DataSource> procedural_tokens(const Dataset& dataset,
                                              std::int64_t size,
                                              std::uint64_t language,
                                              std::uint64_t samples) {
  return std::make_unique<ProceduralTokens>(dataset, size, language, samples);
}

}  // namespace epochcast::real
