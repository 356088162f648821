// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "real/data/data_source.hpp"
#include "real/data/resample.hpp"

namespace epochcast::real {

/// The images of another source in another size, resized by load() after augmentation; see
/// triangle_taps().
class ResizedImages : public DataSource {
 public:
  /// `shape`: {channels, rows, columns}, with as many channels as the images have.
  ResizedImages(std::unique_ptr<DataSource> images, std::vector<std::int64_t> shape);

  [[nodiscard]] std::int64_t size() const override { return images_->size(); }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override { return images_->classes(); }
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> variant,
                    std::span<float> sample) const override;
  /// Resizing large samples takes milliseconds.
  [[nodiscard]] bool is_slow() const override { return true; }
  [[nodiscard]] std::vector<PixelLevels> pixel_levels() const override {
    return images_->pixel_levels();
  }

 private:
  std::unique_ptr<DataSource> images_;
  std::vector<std::int64_t> shape_;
  std::vector<Taps> down_;
  std::vector<Taps> across_;
};

}  // namespace epochcast::real
