// SPDX-License-Identifier: Apache-2.0
#include "real/data/tokens.hpp"

#include <algorithm>
#include <cassert>

namespace epochcast::real {
namespace {

// Fowler-Noll-Vo 1a, 64 bits (RFC 9923).
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325U;
constexpr std::uint64_t kHashFactor = 0x100000001b3U;

/// The normalised character of a word, or 0 between words. Independent of the locale.
unsigned char word_character(char character) {
  const auto byte = static_cast<unsigned char>(character);
  if (byte >= 'A' && byte <= 'Z') return static_cast<unsigned char>(byte - 'A' + 'a');
  const bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte > 127;
  return is_word ? byte : 0;
}

}  // namespace

void write_tokens(std::string_view text, std::span<std::uint16_t> tokens) {
  assert(!tokens.empty());
  std::fill(tokens.begin(), tokens.end(), kPadding);
  tokens[0] = kTextStart;
  std::size_t written = 1;
  for (std::size_t at = 0; at < text.size() && written < tokens.size();) {
    std::uint64_t hash = kHashStart;
    bool is_word = false;
    for (; at < text.size() && word_character(text[at]) != 0; ++at) {
      hash = (hash ^ word_character(text[at])) * kHashFactor;
      is_word = true;
    }
    if (is_word) {
      tokens[written++] =
          static_cast<std::uint16_t>(kFirstWord + hash % (kVocabulary - kFirstWord));
    } else {
      ++at;
    }
  }
}

}  // namespace epochcast::real
