// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tests/real/data/files.hpp"

struct gdImageStruct;

namespace epochcast::real::tests {

enum class Encoding { jpeg, png, webp, bmp, gif };

/// An image constructed by a test.
class Painting {
 public:
  /// `colour` gives libgd's colour of a pixel (gdTrueColor) from its column and row.
  Painting(int width, int height, const std::function<int(int x, int y)>& colour);

  [[nodiscard]] Bytes encoded(Encoding encoding) const;

 private:
  std::shared_ptr<gdImageStruct> image_;
};

}  // namespace epochcast::real::tests
