// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace epochcast::real {

/// Tokens of any text: as many as DistilBERT's, whose embedding table fits them.
inline constexpr std::uint16_t kVocabulary = 30522;
inline constexpr std::uint16_t kPadding = 0;    ///< after the end of a text
inline constexpr std::uint16_t kTextStart = 1;  ///< the first token of each text
inline constexpr std::uint16_t kFirstWord = 2;  ///< the smallest token of a word

/// Writes the tokens of `text`: the start token, one token a word, padding; words beyond the end
/// are dropped.
///
/// A word is a longest run of ASCII letters, digits and bytes above 127, in lower case; its token
/// is 2 + FNV-1a(word) mod 30520 (64 bits). Different words may share a token.
void write_tokens(std::string_view text, std::span<std::uint16_t> tokens);

}  // namespace epochcast::real
