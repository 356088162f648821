// SPDX-License-Identifier: Apache-2.0
#include "real/data/byte_images.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "real/data/crop_flip.hpp"

namespace epochcast::real {

ByteNormalisation::ByteNormalisation(std::span<const std::uint8_t> pixels,
                                     std::span<const std::int64_t> shape) {
  const auto channels = static_cast<std::size_t>(shape[0]);
  const auto plane = static_cast<std::size_t>(shape[1] * shape[2]);
  std::vector<std::array<std::int64_t, 256>> counts(channels);
  for (std::size_t start = 0; start < pixels.size(); start += plane) {
    auto& histogram = counts[start / plane % channels];
    for (const std::uint8_t byte : pixels.subspan(start, plane)) ++histogram[byte];
  }
  values_.reserve(channels * 256);
  for (const auto& histogram : counts) {
    double number = 0;
    double sum = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      number += static_cast<double>(histogram[byte]);
      sum += static_cast<double>(histogram[byte]) * static_cast<double>(byte);
    }
    const double mean = sum / number;
    double variance = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const double distance = static_cast<double>(byte) - mean;
      variance += static_cast<double>(histogram[byte]) / number * distance * distance;
    }
    const double deviation = variance > 0 ? std::sqrt(variance) : 1;
    for (int byte = 0; byte < 256; ++byte) {
      values_.push_back(static_cast<float>((byte - mean) / deviation));
    }
  }
}

ByteImages::ByteImages(const Dataset& dataset,
                       ByteImageSet images,
                       ByteNormalisation normalisation,
                       Augmentation augmentation)
    : shape_(dataset.shape),
      classes_(dataset.classes),
      images_(std::move(images)),
      normalisation_(std::move(normalisation)),
      augmentation_(augmentation) {}

std::int64_t ByteImages::size() const { return static_cast<std::int64_t>(images_.labels.size()); }

std::vector<PixelLevels> ByteImages::pixel_levels() const {
  constexpr std::uint8_t kWhite = 255;
  std::vector<PixelLevels> levels;
  for (std::int64_t channel = 0; channel < shape_[0]; ++channel) {
    levels.push_back({.black = normalisation_.value(channel, 0),
                      .white = normalisation_.value(channel, kWhite)});
  }
  return levels;
}

std::int64_t ByteImages::load(std::int64_t index,
                              std::optional<std::uint64_t> variant,
                              std::span<float> sample) const {
  assert(index >= 0 && index < size());
  assert(std::cmp_equal(sample.size(), shape_[0] * shape_[1] * shape_[2]));
  const bool is_moved = variant && augmentation_ == Augmentation::crop_flip;
  const CropFlip move = is_moved ? draw_crop_flip(*variant, index) : CropFlip{};
  const auto number = static_cast<std::size_t>(index);
  const std::uint8_t* image = images_.pixels.data() + number * sample.size();
  write_moved(
      shape_,
      move,
      [&](std::int64_t channel, std::int64_t i) { return normalisation_.value(channel, image[i]); },
      [&](std::int64_t channel) { return normalisation_.value(channel, 0); },
      sample);
  return images_.labels[number];
}

DataSplit split_of_bytes(const Dataset& dataset,
                         ByteImageSet train,
                         ByteImageSet test,
                         Augmentation augmentation,
                         const std::filesystem::path& folder) {
  const ByteNormalisation normalisation(train.pixels, dataset.shape);
  const auto source = [&](ByteImageSet& images) {
    return std::make_unique<ByteImages>(dataset, std::move(images), normalisation, augmentation);
  };
  return {.train = source(train),
          .test = source(test),
          .title = dataset.title + " in " + folder.string()};
}

}  // namespace epochcast::real
