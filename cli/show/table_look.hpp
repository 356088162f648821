// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace epochcast {

/// How a table may look where it is read. Without a terminal it has all its columns, and no
/// colours: nobody looks for what a file does not have.
struct TableLook {
  std::size_t width = 0;  ///< characters that a line may have; 0: as many as it needs
  bool has_colours = false;
};

/// That of what stdout is: as wide as its terminal unless `is_wide`; colours on a terminal, unless
/// NO_COLOR (https://no-color.org) is set or TERM is dumb.
[[nodiscard]] TableLook stdout_look(bool is_wide);

enum class Colour { red = 31, green = 32, yellow = 33, blue = 34 };
/// The text as a terminal shows it.
[[nodiscard]] std::string bold(const std::string& text);
[[nodiscard]] std::string coloured(const std::string& text, Colour colour);

}  // namespace epochcast
