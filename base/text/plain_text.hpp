// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Texts from files and command lines that are safe on a terminal. A plain text is UTF-8 without
// characters that control the terminal (U+0000 to U+001F, U+007F to U+009F), end the line (U+2028,
// U+2029) or change the direction of text (U+202A to U+202E, U+2066 to U+2069).

namespace epochcast {

[[nodiscard]] bool is_plain_text(std::string_view text);
inline constexpr const char* kExpectedPlainText = "UTF-8 without control characters";

/// Whether `text` may be the name of a platform, network, data set, trace, device or machine: 1 to
/// 100 ASCII letters, digits, spaces and "._-+:@()", a letter or digit first, no space last.
[[nodiscard]] bool is_name(std::string_view text);
inline constexpr const char* kExpectedName =
    "a name: at most 100 letters, digits, spaces and ._-+:@(), a letter or digit first";

/// A name made of a file's name: `text`, cut to 100 bytes, with "-" for characters that names may
/// not have, and "x" in front if it would begin with one.
[[nodiscard]] std::string as_name(std::string_view text);

/// The text with escapes for everything that is not plain: "\x1b" for a character below U+0020 or a
/// byte that is no UTF-8, "\u202e" for other characters (also where JSON has them in a string).
[[nodiscard]] std::string printable(std::string_view text);

/// The number of bytes at the end that begin an incomplete character of UTF-8.
[[nodiscard]] std::size_t incomplete_bytes(std::string_view text);

}  // namespace epochcast
