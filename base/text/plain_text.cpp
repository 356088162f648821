// SPDX-License-Identifier: Apache-2.0
#include "base/text/plain_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

namespace epochcast {
namespace {

/// The first character of a text.
struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
  bool is_valid = false;  ///< if not: one byte that is no UTF-8
};

/// Bytes of a character that begins with `lead`; 1 if it begins none.
std::size_t length_from(unsigned char lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 1;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// The Unicode Standard 15.0, table 3-7: neither overlong forms nor surrogates.
Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {.bytes = 1, .code = lead, .is_valid = true};
  const std::size_t length = length_from(lead);
  if (length == 1 || text.size() < length) return {};
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return {};
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (is_overlong || is_surrogate || code > 0x10ffff) return {};
  return {.bytes = length, .code = code, .is_valid = true};
}

bool is_plain(const Character& character) {
  const std::uint32_t code = character.code;
  const bool is_control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
  const bool is_layout = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return character.is_valid && !is_control && !is_layout;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

constexpr std::size_t kLongestName = 100;

bool may_be_in_name(char c) {
  constexpr std::string_view kSigns = " ._-+:@()";
  return is_letter_or_digit(c) || kSigns.find(c) != kSigns.npos;
}

}  // namespace

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const Character next = first_of(text);
    if (!is_plain(next)) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_letter_or_digit(text.front()) &&
         text.back() != ' ' && std::all_of(text.begin(), text.end(), may_be_in_name);
}

std::string as_name(std::string_view text) {
  std::string name(text.substr(0, kLongestName));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || !may_be_in_name(c); }, '-');
  if (name.empty() || !is_letter_or_digit(name.front())) name.insert(0, "x", 1);
  name.resize(std::min(name.size(), kLongestName));
  return name;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_of(text);
    if (is_plain(next)) {
      shown += text.substr(0, next.bytes);
    } else {
      const bool is_byte = !next.is_valid || next.code < 0x20;
      const unsigned int number = next.is_valid ? next.code : static_cast<unsigned char>(text[0]);
      shown += is_byte ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
    }
    text.remove_prefix(next.bytes);
  }
  return shown;
}

std::size_t incomplete_bytes(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t bytes = 1; bytes < kLongest && bytes <= text.size(); ++bytes) {
    const char c = text[text.size() - bytes];
    if (is_continuation(c)) continue;
    return length_from(static_cast<unsigned char>(c)) > bytes ? bytes : 0;
  }
  return 0;
}

}  // namespace epochcast
