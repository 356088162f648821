// SPDX-License-Identifier: Apache-2.0
#include "real/data/resample.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::real {

std::vector<Taps> triangle_taps(std::int64_t input_pixels, std::int64_t output_pixels) {
  const double scale = static_cast<double>(input_pixels) / static_cast<double>(output_pixels);
  const double radius = std::max(scale, 1.0);
  std::vector<Taps> taps(static_cast<std::size_t>(output_pixels));
  for (std::size_t i = 0; i < taps.size(); ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale - 0.5;
    const auto first = static_cast<std::int64_t>(std::floor(centre - radius)) + 1;
    const auto last = static_cast<std::int64_t>(std::ceil(centre + radius)) - 1;
    taps[i].first = std::max<std::int64_t>(first, 0);
    double sum = 0;
    std::vector<double> weights;
    for (std::int64_t at = taps[i].first; at <= std::min(last, input_pixels - 1); ++at) {
      weights.push_back(1 - std::abs(static_cast<double>(at) - centre) / radius);
      sum += weights.back();
    }
    for (const double weight : weights) taps[i].weights.push_back(static_cast<float>(weight / sum));
  }
  return taps;
}

}  // namespace epochcast::real
