// SPDX-License-Identifier: Apache-2.0
#include "base/files/checksum.hpp"

#include <xxhash.h>

#include <new>

namespace epochcast {

void Digest::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Digest::Digest() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void Digest::add(std::string_view bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string Digest::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

std::string checksum(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.text();
}

std::string checksum_of_file(const std::filesystem::path& file, const FileKind& kind) {
  const FileDescriptor input = open_input(file, kind);
  Digest digest;
  std::string piece(std::size_t{1} << 20, '\0');
  while (const std::size_t size = read_some(input, piece.data(), piece.size(), file))
    digest.add({piece.data(), size});
  return digest.text();
}

}  // namespace epochcast
