// SPDX-License-Identifier: Apache-2.0
#include "core/checksum.hpp"

#include <xxhash.h>

#include <array>

namespace epochcast {

std::string checksum(std::string_view bytes) {
  XXH128_canonical_t canonical{};
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

}  // namespace epochcast
