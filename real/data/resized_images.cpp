// SPDX-License-Identifier: Apache-2.0
#include "real/data/resized_images.hpp"

namespace epochcast::real {

ResizedImages::ResizedImages(std::unique_ptr<DataSource> images, std::vector<std::int64_t> shape)
    : images_(std::move(images)),
      shape_(std::move(shape)),
      down_(triangle_taps(images_->shape()[1], shape_[1])),
      across_(triangle_taps(images_->shape()[2], shape_[2])) {}

std::int64_t ResizedImages::load(std::int64_t index,
                                 std::optional<std::uint64_t> variant,
                                 std::span<float> sample) const {
  const auto channels = static_cast<std::size_t>(shape_[0]);
  const auto rows = static_cast<std::size_t>(images_->shape()[1]);
  const auto columns = static_cast<std::size_t>(images_->shape()[2]);
  std::vector<float> image(channels * rows * columns);
  const std::int64_t label = images_->load(index, variant, image);
  std::vector<float> wide(channels * rows * across_.size());  // columns are resized, rows are not
  float* out = wide.data();
  for (std::size_t row = 0; row < channels * rows; ++row) {
    for (const Taps& taps : across_) {
      const float* in = image.data() + row * columns + static_cast<std::size_t>(taps.first);
      float sum = 0;
      for (const float weight : taps.weights) sum += weight * *in++;
      *out++ = sum;
    }
  }
  out = sample.data();
  const std::size_t width = across_.size();
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (const Taps& taps : down_) {
      const float* first =
          wide.data() + (channel * rows + static_cast<std::size_t>(taps.first)) * width;
      for (std::size_t column = 0; column < width; ++column) {
        float sum = 0;
        for (std::size_t i = 0; i < taps.weights.size(); ++i)
          sum += taps.weights[i] * first[i * width + column];
        *out++ = sum;
      }
    }
  }
  return label;
}

}  // namespace epochcast::real
