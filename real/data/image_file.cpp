// SPDX-License-Identifier: Apache-2.0
#include "real/data/image_file.hpp"

#include <gd.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "real/data/file_bytes.hpp"

namespace epochcast::real {
namespace {

/// What libgd and the libraries below it said in this thread since it was last cleared.
thread_local std::string messages;

void keep_message(int /*priority*/, const char* format, va_list arguments) {
  char text[256];
  static_cast<void>(std::vsnprintf(text, sizeof text, format, arguments));
  messages += text;
}

/// libgd would write to stderr otherwise. Its hook is global: it is set once, before any decoding.
void keep_messages() {
  static const bool is_set = [] {
    gdSetErrorMethod(&keep_message);
    return true;
  }();
  static_cast<void>(is_set);
  messages.clear();
}

/// The first line that was said, in parentheses, or nothing.
std::string first_message() {
  const std::string line = messages.substr(0, messages.find_first_of("\r\n"));
  return line.empty() ? "" : " (" + line + ")";
}

bool has_text(const std::vector<std::uint8_t>& bytes, std::size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() &&
         std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

using Decoder = gdImagePtr (*)(int, void*);

/// Nothing when the bytes are of no known format.
Decoder decoder_of(const std::vector<std::uint8_t>& bytes) {
  if (has_text(bytes, 0, "\xff\xd8\xff")) return &gdImageCreateFromJpegPtr;
  if (has_text(bytes, 0, "\x89PNG\r\n")) return &gdImageCreateFromPngPtr;
  if (has_text(bytes, 0, "RIFF") && has_text(bytes, 8, "WEBP")) {
    return &gdImageCreateFromWebpPtr;
  }
  if (has_text(bytes, 0, "BM")) return &gdImageCreateFromBmpPtr;
  if (has_text(bytes, 0, "GIF8")) return &gdImageCreateFromGifPtr;
  return nullptr;
}

}  // namespace

bool has_image_name(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  for (const char* known : {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif"}) {
    if (ending == known) return true;
  }
  return false;
}

void ImageFile::Destroy::operator()(gdImageStruct* image) const { gdImageDestroy(image); }

ImageFile::ImageFile(const std::filesystem::path& file) : file_(file) {
  std::vector<std::uint8_t> bytes = read_bytes<RunError>(file);
  const Decoder decode = decoder_of(bytes);
  if (decode == nullptr || bytes.size() > std::numeric_limits<int>::max()) {
    throw RunError(file.string() + ": got a file of " + std::to_string(bytes.size()) +
                   " bytes that is no image; expected JPEG, PNG, WebP, BMP or GIF");
  }
  keep_messages();
  image_.reset(decode(static_cast<int>(bytes.size()), bytes.data()));
  // libjpeg only warns of a file that ends early, and makes up the rest.
  const bool is_truncated = messages.find("Premature end of JPEG file") != std::string::npos;
  if (!image_ || is_truncated || gdImagePaletteToTrueColor(image_.get()) == 0) {
    throw RunError(file.string() + ": got an image that cannot be decoded" + first_message() +
                   "; expected a whole one");
  }
}

std::int64_t ImageFile::width() const { return gdImageSX(image_.get()); }
std::int64_t ImageFile::height() const { return gdImageSY(image_.get()); }

std::vector<std::array<std::uint8_t, 3>> ImageFile::scaled(const Rectangle& part,
                                                           std::int64_t width,
                                                           std::int64_t height) const {
  assert(part.width > 0 && part.left >= 0 && part.left + part.width <= this->width());
  assert(part.height > 0 && part.top >= 0 && part.top + part.height <= this->height());
  const gdRect rectangle = {.x = static_cast<int>(part.left),
                            .y = static_cast<int>(part.top),
                            .width = static_cast<int>(part.width),
                            .height = static_cast<int>(part.height)};
  keep_messages();
  const Image cut(gdImageCrop(image_.get(), &rectangle));
  Image result;
  if (cut && gdImageSetInterpolationMethod(cut.get(), GD_TRIANGLE) != 0) {
    result.reset(gdImageScale(
        cut.get(), static_cast<unsigned int>(width), static_cast<unsigned int>(height)));
  }
  if (!result) {
    throw RunError(file_.string() + ": cannot be scaled to " + std::to_string(width) + "x" +
                   std::to_string(height) + first_message());
  }
  std::vector<std::array<std::uint8_t, 3>> pixels;
  pixels.reserve(static_cast<std::size_t>(width * height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int colour = gdImageTrueColorPixel(result.get(), x, y);
      pixels.push_back({static_cast<std::uint8_t>(gdTrueColorGetRed(colour)),
                        static_cast<std::uint8_t>(gdTrueColorGetGreen(colour)),
                        static_cast<std::uint8_t>(gdTrueColorGetBlue(colour))});
    }
  }
  return pixels;
}

}  // namespace epochcast::real
