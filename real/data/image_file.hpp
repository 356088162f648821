// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

struct gdImageStruct;

namespace epochcast::real {

/// A part of an image, in pixels.
struct Rectangle {
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

using Colour = std::array<float, 3>;

/// A decoded image file.
class ImageFile {
 public:
  /// Decodes the file by its first bytes, whatever its name: ImageNet has a PNG named .JPEG.
  /// Throws a RunError that names the file when it cannot be read, is no image, or is truncated.
  explicit ImageFile(const std::filesystem::path& file);

  [[nodiscard]] std::int64_t width() const;
  [[nodiscard]] std::int64_t height() const;

  /// The red, green and blue of `part`, 0 to 255, scaled to `width` x `height` pixels (see
  /// triangle_taps); [height, width]. Transparency is ignored. `part` lies inside the image and is
  /// not empty.
  [[nodiscard]] std::vector<Colour> scaled(const Rectangle& part,
                                           std::int64_t width,
                                           std::int64_t height) const;

 private:
  struct Destroy {
    void operator()(gdImageStruct* image) const;
  };

  std::unique_ptr<gdImageStruct, Destroy> image_;
};

}  // namespace epochcast::real
