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

#include "base/error.hpp"
#include "real/data/file_bytes.hpp"
#include "real/data/resample.hpp"

namespace epochcast::real {
namespace {

/// Messages of libgd and its libraries in this thread since the last clear.
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

/// The first line of the messages, in parentheses, or "".
std::string first_message() {
  const std::string line = messages.substr(0, messages.find_first_of("\r\n"));
  return line.empty() ? "" : " (" + line + ")";
}

bool has_text(const std::vector<std::uint8_t>& bytes, std::size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() &&
         std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

/// JPEG files with small faults are common and accepted, those that end early are not: libjpeg only
/// warns of both, and fills in missing parts. It reports the first warning only.
gdImagePtr decode_jpeg(int size, void* bytes) {
  gdImagePtr image = gdImageCreateFromJpegPtrEx(size, bytes, 0);
  if (image != nullptr && messages.find("Premature end of JPEG file") != std::string::npos) {
    gdImageDestroy(image);
    return nullptr;
  }
  return image;
}

using Decoder = gdImagePtr (*)(int, void*);

/// Null for unknown formats.
Decoder decoder_of(const std::vector<std::uint8_t>& bytes) {
  if (has_text(bytes, 0, "\xff\xd8\xff")) return &decode_jpeg;
  if (has_text(bytes, 0, "\x89PNG\r\n")) return &gdImageCreateFromPngPtr;
  if (has_text(bytes, 0, "RIFF") && has_text(bytes, 8, "WEBP")) {
    return &gdImageCreateFromWebpPtr;
  }
  if (has_text(bytes, 0, "BM")) return &gdImageCreateFromBmpPtr;
  if (has_text(bytes, 0, "GIF8")) return &gdImageCreateFromGifPtr;
  return nullptr;
}

Colour weighted(const int* pixels, const std::vector<float>& weights) {
  Colour sum = {};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum[0] += weights[i] * static_cast<float>(gdTrueColorGetRed(pixels[i]));
    sum[1] += weights[i] * static_cast<float>(gdTrueColorGetGreen(pixels[i]));
    sum[2] += weights[i] * static_cast<float>(gdTrueColorGetBlue(pixels[i]));
  }
  return sum;
}

}  // namespace

void ImageFile::Destroy::operator()(gdImageStruct* image) const { gdImageDestroy(image); }

ImageFile::ImageFile(const std::filesystem::path& file) {
  std::vector<std::uint8_t> bytes =
      read_bytes<RunError>(file, {"an image", std::uintmax_t{256} << 20});
  const Decoder decode = decoder_of(bytes);
  if (decode == nullptr || bytes.size() > std::numeric_limits<int>::max()) {
    throw RunError(file.string() + ": got a file of " + std::to_string(bytes.size()) +
                   " bytes that is no image; expected JPEG, PNG, WebP, BMP or GIF");
  }
  keep_messages();
  image_.reset(decode(static_cast<int>(bytes.size()), bytes.data()));
  if (!image_ || gdImagePaletteToTrueColor(image_.get()) == 0) {
    throw RunError(file.string() + ": got an image that cannot be decoded" + first_message() +
                   "; expected a complete one");
  }
}

std::int64_t ImageFile::width() const { return gdImageSX(image_.get()); }
std::int64_t ImageFile::height() const { return gdImageSY(image_.get()); }

std::vector<Colour> ImageFile::scaled(const Rectangle& part,
                                      std::int64_t width,
                                      std::int64_t height) const {
  assert(part.width > 0 && part.left >= 0 && part.left + part.width <= this->width());
  assert(part.height > 0 && part.top >= 0 && part.top + part.height <= this->height());
  const std::vector<Taps> across = triangle_taps(part.width, width);
  const std::vector<Taps> down = triangle_taps(part.height, height);
  const auto columns = static_cast<std::size_t>(width);

  std::vector<Colour> rows;  // [part.height, width]
  rows.reserve(static_cast<std::size_t>(part.height) * columns);
  for (std::int64_t y = 0; y < part.height; ++y) {
    const int* row = image_->tpixels[part.top + y] + part.left;
    for (const Taps& taps : across) rows.push_back(weighted(row + taps.first, taps.weights));
  }
  std::vector<Colour> result(static_cast<std::size_t>(height) * columns, Colour{});
  for (std::size_t y = 0; y < down.size(); ++y) {
    Colour* output = &result[y * columns];
    for (std::size_t i = 0; i < down[y].weights.size(); ++i) {
      const Colour* input = &rows[(static_cast<std::size_t>(down[y].first) + i) * columns];
      for (std::size_t x = 0; x < columns; ++x) {
        for (std::size_t c = 0; c < 3; ++c) output[x][c] += down[y].weights[i] * input[x][c];
      }
    }
  }
  return result;
}

}  // namespace epochcast::real
