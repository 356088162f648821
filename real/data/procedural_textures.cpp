// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "real/data/draws.hpp"
#include "real/data/procedural.hpp"

namespace epochcast::real {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kNoise = 0.9F;
constexpr float kTint = 0.5F;        // of a grating's amplitude
constexpr float kDistractor = 0.6F;  // of a class's texture

struct Texture {
  float angle = 0;               ///< of the wave vector, radians, 0 to pi/2
  float wavelength = 0;          ///< pixels
  std::vector<float> amplitude;  ///< of the grating, by channel
  std::vector<float> tint;       ///< of the window, by channel
};

/// Two textures of a class.
struct Pair {
  std::size_t first;
  std::size_t second;
};

/// A wave along one axis under a window: window(i) * cos(phase + i * step), and so on.
struct Wave {
  std::vector<float> cosine;
  std::vector<float> sine;
  std::vector<float> window;
  std::int64_t begin = 0;  ///< outside [begin, end) the window is 0
  std::int64_t end = 0;
};

Wave wave(std::int64_t pixels, float centre, float radius, float step, float phase) {
  Wave result;
  result.begin = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(centre - radius)));
  result.end =
      std::min<std::int64_t>(pixels, static_cast<std::int64_t>(std::floor(centre + radius)) + 1);
  for (std::int64_t i = result.begin; i < result.end; ++i) {
    const float distance = (static_cast<float>(i) - centre) / radius;
    const float window = (1 - distance * distance) * (1 - distance * distance);
    const float angle = phase + step * (static_cast<float>(i) - centre);
    result.cosine.push_back(window * std::cos(angle));
    result.sine.push_back(window * std::sin(angle));
    result.window.push_back(window);
  }
  return result;
}

class Textures : public SampleMaker {
 public:
  Textures(const std::vector<std::int64_t>& shape, std::int64_t classes, std::uint64_t seed)
      : channels_(shape[0]), rows_(shape[1]), columns_(shape[2]) {
    Random random(seed);
    std::size_t number = 2;
    while (static_cast<double>(number * (number - 1)) / 2 < 1.5 * static_cast<double>(classes)) {
      ++number;
    }
    draw_textures(number, random);
    draw_classes(static_cast<std::size_t>(classes), random);
  }

  void make(std::int64_t label, Random& random, std::span<float> sample) const override {
    draw_background(random, sample);
    const Pair pair = classes_[static_cast<std::size_t>(label)];
    add_texture(textures_[pair.first], 1, random, sample);
    add_texture(textures_[pair.second], 1, random, sample);
    add_texture(textures_[draw_below(textures_.size(), random)], kDistractor, random, sample);
    add_noise(kNoise, random, sample);
  }

  [[nodiscard]] PixelLevels pixel_levels() const override {
    return {.black = -2.5F, .white = 2.5F};
  }

 private:
  [[nodiscard]] float side() const { return static_cast<float>(std::min(rows_, columns_)); }

  /// Spread evenly over orientations, wavelengths and colours by the additive recurrence whose
  /// factors are powers of the root of x^4 = x + 1 (Roberts 2018, "R3").
  void draw_textures(std::size_t number, Random& random) {
    const float shortest = std::max(2.5F, side() / 10);
    const float longest = std::max(5.0F, side() / 3.5F);
    double point[3] = {random.uniform(), random.uniform(), random.uniform()};
    for (std::size_t i = 0; i < number; ++i) {
      constexpr double kFactors[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
      for (int axis = 0; axis < 3; ++axis) {
        point[axis] += kFactors[axis];
        point[axis] -= std::floor(point[axis]);
      }
      Texture texture;
      texture.angle = static_cast<float>(point[0]) * kPi / 2;
      texture.wavelength = shortest * std::pow(longest / shortest, static_cast<float>(point[1]));
      for (std::int64_t channel = 0; channel < channels_; ++channel) {
        // The phase of a grating is random: hues half a circle apart would look the same.
        // Of two channels, opposite ones could both be 0.
        const auto share =
            static_cast<float>(channel) / static_cast<float>(std::max<std::int64_t>(channels_, 3));
        const float hue = static_cast<float>(point[2]) * kPi;
        const bool is_grey = channels_ == 1;
        texture.amplitude.push_back(is_grey ? 1.0F : std::cos(hue + 2 * kPi * share));
        texture.tint.push_back(kTint * std::cos((is_grey ? 1.0F : 2.0F) * hue + 2 * kPi * share));
      }
      textures_.push_back(std::move(texture));
    }
  }

  /// Different pairs in random order.
  void draw_classes(std::size_t classes, Random& random) {
    for (std::size_t second = 1; second < textures_.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) classes_.push_back({first, second});
    }
    for (std::size_t i = 0; i < classes; ++i) {
      std::swap(classes_[i], classes_[i + draw_below(classes_.size() - i, random)]);
    }
    classes_.resize(classes);
  }

  /// A plane of random height and slope for each channel.
  void draw_background(Random& random, std::span<float> sample) const {
    float* pixel = sample.data();
    for (std::int64_t channel = 0; channel < channels_; ++channel) {
      const float height = draw_between(-0.5F, 0.5F, random);
      const float row_step = draw_between(-1, 1, random) / static_cast<float>(rows_);
      const float column_step = draw_between(-1, 1, random) / static_cast<float>(columns_);
      for (std::int64_t row = 0; row < rows_; ++row) {
        const float start =
            height + row_step * (static_cast<float>(row) - static_cast<float>(rows_) / 2);
        for (std::int64_t column = 0; column < columns_; ++column) {
          *pixel++ =
              start + column_step * (static_cast<float>(column) - static_cast<float>(columns_) / 2);
        }
      }
    }
  }

  /// cos(a + b) = cos a cos b - sin a sin b: cosines along the axes suffice.
  void add_texture(const Texture& texture,
                   float strength,
                   Random& random,
                   std::span<float> sample) const {
    const float mirror = random.uniform() < 0.5 ? -1.0F : 1.0F;
    const float angle = texture.angle + draw_between(-0.1F, 0.1F, random);
    const float step = 2 * kPi / (texture.wavelength * draw_between(0.92F, 1.08F, random));
    const float amplitude = strength * draw_between(0.7F, 1.3F, random);
    const float radius = side() * draw_between(0.3F, 0.5F, random);
    const float row = static_cast<float>(rows_) * draw_between(0.15F, 0.85F, random);
    const float column = static_cast<float>(columns_) * draw_between(0.15F, 0.85F, random);
    const float phase = draw_between(0, 2 * kPi, random);
    const Wave down = wave(rows_, row, radius, step * std::sin(angle), phase);
    const Wave across = wave(columns_, column, radius, mirror * step * std::cos(angle), 0);
    const auto width = static_cast<std::size_t>(across.end - across.begin);
    for (std::int64_t channel = 0; channel < channels_; ++channel) {
      const auto c = static_cast<std::size_t>(channel);
      const float wave_height = amplitude * texture.amplitude[c];
      const float tint_height = amplitude * texture.tint[c];
      for (std::int64_t y = down.begin; y < down.end; ++y) {
        const auto i = static_cast<std::size_t>(y - down.begin);
        const float cosine = wave_height * down.cosine[i];
        const float sine = wave_height * down.sine[i];
        const float window = tint_height * down.window[i];
        float* pixel = sample.data() + (channel * rows_ + y) * columns_ + across.begin;
        for (std::size_t x = 0; x < width; ++x) {
          pixel[x] += cosine * across.cosine[x] - sine * across.sine[x] + window * across.window[x];
        }
      }
    }
  }

  std::int64_t channels_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<Texture> textures_;
  std::vector<Pair> classes_;
};

}  // namespace

std::unique_ptr<SampleMaker> make_textures(const std::vector<std::int64_t>& shape,
                                           std::int64_t classes,
                                           std::uint64_t seed) {
  return std::make_unique<Textures>(shape, classes, seed);
}

}  // namespace epochcast::real
