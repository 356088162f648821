// SPDX-License-Identifier: Apache-2.0
#include "real/data/image_folder.hpp"

#include <cassert>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/statistics/random.hpp"
#include "core/formats/image_list.hpp"
#include "real/data/image_crop.hpp"
#include "real/data/image_file.hpp"

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

struct Channel {
  float mean;
  float deviation;
};

// Of ImageNet's training set, as shares of white: the customary values.
constexpr std::array<Channel, 3> kColours = {
    {{0.485F, 0.229F}, {0.456F, 0.224F}, {0.406F, 0.225F}}};
constexpr Channel kGrey = {0.449F, 0.226F};

class FolderImages : public DataSource {
 public:
  FolderImages(const Dataset& dataset, fs::path folder, ImageList files)
      : shape_(dataset.shape),
        classes_(dataset.classes),
        crop_{.width = dataset.shape[2], .height = dataset.shape[1], .resized = dataset.resize},
        folder_(std::move(folder)),
        files_(std::move(files)) {}

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(files_.size());
  }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override { return classes_; }
  [[nodiscard]] bool is_slow() const override { return true; }
  [[nodiscard]] std::vector<PixelLevels> pixel_levels() const override {
    const auto levels_of = [](const Channel& channel) {
      return PixelLevels{.black = -channel.mean / channel.deviation,
                         .white = (1 - channel.mean) / channel.deviation};
    };
    if (shape_[0] == 1) return {levels_of(kGrey)};
    return {levels_of(kColours[0]), levels_of(kColours[1]), levels_of(kColours[2])};
  }

  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> variant,
                    std::span<float> sample) const override {
    assert(index >= 0 && index < size());
    assert(std::cmp_equal(sample.size(), shape_[0] * shape_[1] * shape_[2]));
    const auto number = static_cast<std::size_t>(index);
    const ImageFile image(folder_ / files_.name(number));
    Rectangle part;
    bool is_flipped = false;
    if (variant) {
      Random random(mix_seed(*variant, static_cast<std::uint64_t>(index)));
      part = crop_.resized ? draw_place(image.width(), image.height(), crop_, random)
                           : draw_crop(image.width(), image.height(), random);
      is_flipped = random.uniform() < 0.5;
    } else {
      part = centre_crop(image.width(), image.height(), crop_);
    }
    write(image.scaled(part, shape_[2], shape_[1]), is_flipped, sample);
    return files_.label(number);
  }

 private:
  void write(const std::vector<Colour>& pixels, bool is_flipped, std::span<float> sample) const {
    const auto columns = static_cast<std::size_t>(shape_[2]);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const std::size_t row_start = i - i % columns;
      const std::size_t to = is_flipped ? row_start + columns - 1 - i % columns : i;
      const auto& [red, green, blue] = pixels[i];
      if (shape_[0] == 1) {
        const float grey = (red + green + blue) / (3 * 255.0F);
        sample[to] = (grey - kGrey.mean) / kGrey.deviation;
        continue;
      }
      for (std::size_t c = 0; c < kColours.size(); ++c) {
        const float value = pixels[i][c] / 255.0F;
        sample[c * pixels.size() + to] = (value - kColours[c].mean) / kColours[c].deviation;
      }
    }
  }

  std::vector<std::int64_t> shape_;
  std::int64_t classes_;
  CropSize crop_;
  fs::path folder_;
  ImageList files_;
};

DataSplit open_halves(const Dataset& dataset, const fs::path& folder) {
  const ImageHalves halves = find_image_halves(folder);
  if (std::cmp_not_equal(halves.classes.size(), dataset.classes)) {
    throw UserError(halves.train.string() + ": got " + std::to_string(halves.classes.size()) +
                    " folders; expected " + std::to_string(dataset.classes) +
                    ", one for each class of " + dataset.name);
  }
  check_same_classes(halves);
  ImageList train = list_images(halves.train, halves.classes);
  ImageList test = list_images(halves.test, halves.classes);
  return {.train = std::make_unique<FolderImages>(dataset, halves.train, std::move(train)),
          .test = std::make_unique<FolderImages>(dataset, halves.test, std::move(test)),
          .title = dataset.title + " in " + folder.string()};
}

}  // namespace

DataSplit open_image_folder(const Dataset& dataset, const fs::path& folder) {
  if (dataset.shape.size() != 3 || (dataset.shape[0] != 1 && dataset.shape[0] != 3)) {
    throw UserError(folder.string() + ": got a folder of images; " + dataset.name +
                    " has samples of " + shape_text(dataset.shape));
  }
  try {
    return open_halves(dataset, folder);
  } catch (const fs::filesystem_error& error) {
    throw UserError(error.path1().string() + ": cannot be read: " + error.code().message());
  }
}

}  // namespace epochcast::real
