// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "real/data/draws.hpp"
#include "real/data/procedural.hpp"

namespace epochcast::real {
namespace {

/// In a box of width and height 1, from the upper left.
struct Point {
  float x;
  float y;
};

/// A digit is drawn without lifting the pen.
const std::array<std::vector<Point>, kDigits>& strokes() {
  static const std::array<std::vector<Point>, kDigits> points = {{
      {{.5F, 0},
       {.2F, .12F},
       {.08F, .5F},
       {.2F, .88F},
       {.5F, 1},
       {.8F, .88F},
       {.92F, .5F},
       {.8F, .12F},
       {.5F, 0}},
      {{.3F, .2F}, {.55F, 0}, {.5F, 1}},
      {{.12F, .25F}, {.3F, .03F}, {.65F, .02F}, {.85F, .25F}, {.6F, .6F}, {.1F, 1}, {.9F, .98F}},
      {{.12F, .05F}, {.8F, .05F}, {.42F, .42F}, {.8F, .55F}, {.85F, .8F}, {.55F, 1}, {.1F, .92F}},
      {{.68F, 1}, {.65F, 0}, {.08F, .68F}, {.92F, .66F}},
      {{.85F, 0}, {.22F, .02F}, {.17F, .45F}, {.6F, .4F}, {.88F, .65F}, {.65F, .96F}, {.1F, .95F}},
      {{.75F, .02F},
       {.3F, .3F},
       {.12F, .7F},
       {.35F, 1},
       {.75F, .95F},
       {.85F, .7F},
       {.6F, .5F},
       {.18F, .62F}},
      {{.1F, .02F}, {.9F, 0}, {.6F, .45F}, {.4F, 1}},
      {{.5F, .47F},
       {.2F, .25F},
       {.5F, 0},
       {.8F, .25F},
       {.5F, .47F},
       {.14F, .75F},
       {.5F, 1},
       {.86F, .75F},
       {.5F, .47F}},
      {{.85F, .3F},
       {.55F, .5F},
       {.2F, .4F},
       {.2F, .12F},
       {.5F, 0},
       {.82F, .12F},
       {.85F, .3F},
       {.75F, .7F},
       {.6F, 1}},
  }};
  return points;
}

class Digits : public SampleMaker {
 public:
  explicit Digits(const std::vector<std::int64_t>& shape) : rows_(shape[1]), columns_(shape[2]) {}

  void make(std::int64_t label, Random& random, std::span<float> sample) const override {
    std::fill(sample.begin(), sample.end(), 0.0F);
    const auto side = static_cast<float>(std::min(rows_, columns_));
    const float thickness = side * draw_between(0.05F, 0.11F, random);
    const float ink = draw_between(0.7F, 1, random);
    const std::vector<Point> points = warped(strokes()[static_cast<std::size_t>(label)], random);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      draw_line(points[i], points[i + 1], thickness, ink, sample);
    }
    draw_stray_line(thickness, ink, random, sample);
    add_noise(0.1F, random, sample);
  }

 private:
  /// In pixels: each point moved a little, the whole scaled, sheared, turned and shifted.
  [[nodiscard]] std::vector<Point> warped(std::vector<Point> points, Random& random) const {
    const auto side = static_cast<float>(std::min(rows_, columns_));
    const float height = side * draw_between(0.5F, 0.75F, random);
    const float width = height * draw_between(0.5F, 0.85F, random);
    const float shear = draw_between(-0.25F, 0.25F, random);
    const float angle = draw_between(-0.3F, 0.3F, random);
    const float cosine = std::cos(angle);
    const float sine = std::sin(angle);
    const float right = static_cast<float>(columns_) / 2 + side * draw_between(-.12F, .12F, random);
    const float down = static_cast<float>(rows_) / 2 + side * draw_between(-.12F, .12F, random);
    for (Point& point : points) {
      const float y = height * (point.y - 0.5F + draw_between(-0.05F, 0.05F, random));
      const float x = width * (point.x - 0.5F + draw_between(-0.05F, 0.05F, random)) + shear * y;
      point = {right + cosine * x - sine * y, down + sine * x + cosine * y};
    }
    return points;
  }

  /// A short line at a random place, as a distractor.
  void draw_stray_line(float thickness, float ink, Random& random, std::span<float> sample) const {
    const auto side = static_cast<float>(std::min(rows_, columns_));
    const Point start = {static_cast<float>(columns_) * draw_between(0, 1, random),
                         static_cast<float>(rows_) * draw_between(0, 1, random)};
    const Point end = {start.x + side * draw_between(-0.2F, 0.2F, random),
                       start.y + side * draw_between(-0.2F, 0.2F, random)};
    draw_line(start, end, thickness, ink, sample);
  }

  /// Ink falls off over one pixel at the line's edge; crossing lines do not add up.
  void draw_line(Point a, Point b, float thickness, float ink, std::span<float> sample) const {
    const float reach = thickness / 2 + 0.5F;
    const auto first = [](float at) {
      return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(at)));
    };
    const auto last = [](float at, std::int64_t end) {
      return std::min<std::int64_t>(end - 1, static_cast<std::int64_t>(std::floor(at)));
    };
    const float dx = b.x - a.x;
    const float dy = b.y - a.y;
    const float per_length_squared = 1 / std::max(dx * dx + dy * dy, 1e-6F);
    const std::int64_t right = last(std::max(a.x, b.x) + reach, columns_);
    const std::int64_t bottom = last(std::max(a.y, b.y) + reach, rows_);
    for (std::int64_t row = first(std::min(a.y, b.y) - reach); row <= bottom; ++row) {
      for (std::int64_t column = first(std::min(a.x, b.x) - reach); column <= right; ++column) {
        const float x = static_cast<float>(column) - a.x;
        const float y = static_cast<float>(row) - a.y;
        const float along = std::clamp((x * dx + y * dy) * per_length_squared, 0.0F, 1.0F);
        const float away_x = x - along * dx;
        const float away_y = y - along * dy;
        const float distance = std::sqrt(away_x * away_x + away_y * away_y);
        float& pixel = sample[static_cast<std::size_t>(row * columns_ + column)];
        pixel = std::max(pixel, ink * std::clamp(reach - distance, 0.0F, 1.0F));
      }
    }
  }

  std::int64_t rows_;
  std::int64_t columns_;
};

}  // namespace

std::unique_ptr<SampleMaker> make_digits(const std::vector<std::int64_t>& shape) {
  return std::make_unique<Digits>(shape);
}

}  // namespace epochcast::real
