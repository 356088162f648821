// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace epochcast {

/// The layout of a table for its output. Without a terminal it has all columns, and no
/// colours.
struct TableLook {
  std::size_t width = 0;  ///< characters per line; 0: unlimited
  bool has_colours = false;
};

/// The look for stdout: as wide as its terminal unless `is_wide`; colours on a terminal, unless
/// NO_COLOR (https://no-color.org) is set or TERM is dumb.
[[nodiscard]] TableLook stdout_look(bool is_wide);

enum class Colour { red = 31, green = 32, yellow = 33, blue = 34 };
/// The text in bold on a terminal.
[[nodiscard]] std::string bold(const std::string& text);
[[nodiscard]] std::string coloured(const std::string& text, Colour colour);

}  // namespace epochcast
