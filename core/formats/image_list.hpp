// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/network.hpp"

namespace epochcast {

/// Whether the name's ending is one of an image: .jpg, .jpeg, .png, .webp, .bmp, .gif.
[[nodiscard]] bool has_image_name(const std::filesystem::path& file);
inline constexpr std::string_view kImageNames = ".jpg, .jpeg, .png, .webp, .bmp or .gif";

/// The images of one half, class by class. Their names lie in one buffer: a million separate
/// strings take several times as much.
class ImageList {
 public:
  void start_class() { class_starts_.push_back(starts_.size()); }
  void append(const std::string& name) {
    starts_.push_back(names_.size());
    names_ += name;
  }
  [[nodiscard]] std::size_t size() const { return starts_.size(); }
  [[nodiscard]] std::string name(std::size_t index) const {
    const std::size_t end = index + 1 < size() ? starts_[index + 1] : names_.size();
    return names_.substr(starts_[index], end - starts_[index]);
  }
  [[nodiscard]] std::int64_t label(std::size_t index) const {
    const auto next = std::upper_bound(class_starts_.begin(), class_starts_.end(), index);
    return next - class_starts_.begin() - 1;
  }

 private:
  std::string names_;
  std::vector<std::size_t> starts_;        ///< in names_, by image
  std::vector<std::size_t> class_starts_;  ///< in starts_, by class
};

/// The two halves of a folder of images, `train/CLASS/...` and `val/CLASS/...` (`test/` where there
/// is no `val/`), as torchvision's ImageFolder reads them.
struct ImageHalves {
  std::filesystem::path train;
  std::filesystem::path test;
  std::vector<std::string> classes;  ///< those of `train`, sorted
};

inline constexpr const char* kImageLayout = "images: train/CLASS/*.jpg, val/CLASS/*.jpg (or test/)";

/// Whether the folder has such halves, with folders in `train`.
[[nodiscard]] bool has_image_halves(const std::filesystem::path& folder);
/// Throws a UserError where one is missing.
[[nodiscard]] ImageHalves find_image_halves(const std::filesystem::path& folder);
/// Throws a UserError that names the classes that only one half has.
void check_same_classes(const ImageHalves& halves);
/// The images of the classes in order, each class's sorted by name. Links are followed, but no
/// folder counts twice, and no image of one class as one of another. Throws a UserError that lists
/// what would, and classes without images.
[[nodiscard]] ImageList list_images(const std::filesystem::path& half,
                                    const std::vector<std::string>& classes);

/// The data set that such a folder is, in samples of three channels and `pixels` x `pixels`. Throws
/// a UserError that lists its problems.
[[nodiscard]] Dataset dataset_of_images(const std::filesystem::path& folder, std::int64_t pixels);

}  // namespace epochcast
