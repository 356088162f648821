// SPDX-License-Identifier: Apache-2.0
#include "real/data/procedural.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "real/data/crop_flip.hpp"
#include "real/data/draws.hpp"
#include "real/data/procedural_tokens.hpp"

namespace epochcast::real {
namespace {

/// The independent streams of a data set's seed.
enum Stream : std::uint64_t { train_samples, test_samples, class_recipes };

/// The share of training labels that are drawn anew; the test labels are all right.
constexpr double kLabelNoise = 0.02;

std::int64_t elements(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t draw_label(std::int64_t classes, Random& random) {
  return static_cast<std::int64_t>(draw_below(static_cast<std::uint64_t>(classes), random));
}

/// Normalises a channel to mean 0 and variance 1: (value - mean) * factor.
struct ChannelScale {
  float mean = 0;
  float factor = 1;
};

/// The common part of both halves.
struct Recipe {
  std::vector<std::int64_t> shape;
  std::int64_t classes = 0;
  std::unique_ptr<SampleMaker> maker;
  std::vector<ChannelScale> scales;  ///< empty for texts
};

struct Half {
  std::uint64_t seed = 0;
  std::int64_t samples = 0;
  double label_noise = 0;
};

class ProceduralData : public DataSource {
 public:
  ProceduralData(std::shared_ptr<const Recipe> recipe, Half half)
      : recipe_(std::move(recipe)), half_(half) {}

  [[nodiscard]] std::int64_t size() const override { return half_.samples; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return recipe_->shape; }
  [[nodiscard]] std::int64_t classes() const override { return recipe_->classes; }
  [[nodiscard]] std::vector<PixelLevels> pixel_levels() const override {
    const auto [black, white] = recipe_->maker->pixel_levels();
    std::vector<PixelLevels> levels;
    for (const ChannelScale& scale : recipe_->scales) {
      levels.push_back({.black = (black - scale.mean) * scale.factor,
                        .white = (white - scale.mean) * scale.factor});
    }
    return levels;
  }

  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> variant,
                    std::span<float> sample) const override {
    assert(index >= 0 && index < size());
    assert(std::cmp_equal(sample.size(), elements(shape())));
    const bool is_colour_image = shape().size() == 3 && shape()[0] >= 3;
    std::int64_t label = 0;
    if (variant && is_colour_image) {
      std::vector<float> unmoved(sample.size());
      label = make(index, unmoved);
      write_moved(
          shape(),
          draw_crop_flip(*variant, index),
          [&](std::int64_t, std::int64_t i) { return unmoved[static_cast<std::size_t>(i)]; },
          [](std::int64_t) { return 0.0F; },
          sample);
    } else {
      label = make(index, sample);
    }
    return label;
  }

 private:
  std::int64_t make(std::int64_t index, std::span<float> sample) const {
    Random random(mix_seed(half_.seed, static_cast<std::uint64_t>(index)));
    const std::int64_t label = draw_label(classes(), random);
    const bool is_mislabelled = random.uniform() < half_.label_noise;
    const std::int64_t other_label = draw_label(classes(), random);
    recipe_->maker->make(label, random, sample);
    const std::size_t channels = recipe_->scales.size();
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const ChannelScale scale = recipe_->scales[channel];
      const std::size_t plane = sample.size() / channels;
      for (float& pixel : sample.subspan(channel * plane, plane)) {
        pixel = (pixel - scale.mean) * scale.factor;
      }
    }
    return is_mislabelled ? other_label : label;
  }

  std::shared_ptr<const Recipe> recipe_;
  Half half_;
};

/// Measured on enough samples for means within a percent, but few enough for a quick start.
std::vector<ChannelScale> measured_scales(const Recipe& recipe, const Half& half) {
  constexpr std::int64_t kPixels = 1 << 20;
  const std::int64_t size = elements(recipe.shape);
  const std::int64_t samples = std::clamp<std::int64_t>(kPixels / size, 32, 1024);
  const auto channels = static_cast<std::size_t>(recipe.shape[0]);
  const std::size_t plane = static_cast<std::size_t>(size) / channels;
  std::vector<double> sums(channels, 0);
  std::vector<double> squares(channels, 0);
  std::vector<float> sample(static_cast<std::size_t>(size));
  for (std::int64_t index = 0; index < samples; ++index) {
    Random random(mix_seed(half.seed, static_cast<std::uint64_t>(index)));
    recipe.maker->make(draw_label(recipe.classes, random), random, sample);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      sums[i / plane] += sample[i];
      squares[i / plane] += static_cast<double>(sample[i]) * sample[i];
    }
  }
  std::vector<ChannelScale> scales;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const double number = static_cast<double>(samples) * static_cast<double>(plane);
    const double mean = sums[channel] / number;
    const double variance = squares[channel] / number - mean * mean;
    scales.push_back({static_cast<float>(mean), static_cast<float>(1 / std::sqrt(variance))});
  }
  return scales;
}

std::unique_ptr<SampleMaker> maker_for(const Dataset& dataset, std::uint64_t seed) {
  const auto& shape = dataset.shape;
  if (shape.size() == 1 && shape[0] >= 16) {
    if (dataset.classes > kMostTextClasses) {
      throw UserError(dataset.name + ": got " + std::to_string(dataset.classes) +
                      " classes; procedural texts have at most " +
                      std::to_string(kMostTextClasses));
    }
    return make_texts(shape, dataset.classes, seed);
  }
  if (shape.size() == 3 && shape[1] >= 8 && shape[2] >= 8) {
    const bool are_digits = shape[0] == 1 && dataset.classes <= kDigits;
    return are_digits ? make_digits(shape) : make_textures(shape, dataset.classes, seed);
  }
  throw UserError(
      dataset.name + ": got samples of " + shape_text(shape) +
      "; procedural data are images of at least 8x8 pixels (channels, rows, columns) or "
      "texts of at least 16 tokens");
}

}  // namespace

DataSplit procedural_data(const Dataset& dataset, std::uint64_t seed) {
  const std::string title =
      "procedural samples like those of " + dataset.title + ", seed " + std::to_string(seed);
  if (dataset.targets.kind == TargetKind::tokens) {
    const auto texts = [&](std::int64_t size, Stream stream) {
      return procedural_tokens(
          dataset, size, mix_seed(seed, Stream::class_recipes), mix_seed(seed, stream));
    };
    return {.train = texts(dataset.train_samples, Stream::train_samples),
            .test = texts(dataset.test_samples, Stream::test_samples),
            .title = title};
  }
  if (dataset.targets.kind == TargetKind::values ||
      (dataset.shape.size() == 1 && !dataset.are_tokens))
    throw UserError(dataset.name +
                    ": procedural data are images and texts, with classes, or texts with tokens");
  const auto recipe = std::make_shared<Recipe>();
  recipe->shape = dataset.shape;
  recipe->classes = dataset.classes;
  recipe->maker = maker_for(dataset, mix_seed(seed, Stream::class_recipes));
  const Half train = {.seed = mix_seed(seed, Stream::train_samples),
                      .samples = dataset.train_samples,
                      .label_noise = kLabelNoise};
  const Half test = {.seed = mix_seed(seed, Stream::test_samples),
                     .samples = dataset.test_samples,
                     .label_noise = 0};
  if (dataset.shape.size() == 3) recipe->scales = measured_scales(*recipe, train);
  return {.train = std::make_unique<ProceduralData>(recipe, train),
          .test = std::make_unique<ProceduralData>(recipe, test),
          .title = title};
}

}  // namespace epochcast::real
