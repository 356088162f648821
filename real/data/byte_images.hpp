// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// Images and labels as the published files store them.
struct ByteImageSet {
  std::vector<std::uint8_t> pixels;  ///< [samples, channels, rows, columns]
  std::vector<std::uint8_t> labels;  ///< [samples]
};

/// The value of each byte: (byte - mean) / deviation, both over all samples' pixels of a channel.
class ByteNormalisation {
 public:
  /// From the pixels of a training set; a channel that never changes is only centred.
  ByteNormalisation(std::span<const std::uint8_t> pixels, std::span<const std::int64_t> shape);

  [[nodiscard]] float value(std::int64_t channel, std::uint8_t byte) const {
    return values_[static_cast<std::size_t>(channel * 256 + byte)];
  }

 private:
  std::vector<float> values_;  ///< [channels, 256]
};

enum class Augmentation { none, crop_flip };

/// Images held in memory. With crop_flip, `variant` crops and flips; the border is black.
class ByteImages : public DataSource {
 public:
  ByteImages(const Dataset& dataset,
             ByteImageSet images,
             ByteNormalisation normalisation,
             Augmentation augmentation);

  [[nodiscard]] std::int64_t size() const override;
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override { return classes_; }
  [[nodiscard]] std::vector<PixelLevels> pixel_levels() const override;
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> variant,
                    std::span<float> sample) const override;

 private:
  std::vector<std::int64_t> shape_;
  std::int64_t classes_;
  ByteImageSet images_;
  ByteNormalisation normalisation_;
  Augmentation augmentation_;
};

/// Both halves of a data set in memory, normalised by the training half.
[[nodiscard]] DataSplit split_of_bytes(const Dataset& dataset,
                                       ByteImageSet train,
                                       ByteImageSet test,
                                       Augmentation augmentation,
                                       const std::filesystem::path& folder);

}  // namespace epochcast::real
