// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>

namespace epochcast {

/// Escape sequences that a stream to a terminal passes besides plain text, line ends and tabs.
enum class Repaint {
  none,
  line,  ///< those of a progress bar: return to the line's begin, and erase to its end
};

/// Restricts a stream to printable() text while this object lives: text of names, files or other
/// programs cannot control the terminal.
///
/// For std::cout and std::cerr, in main.
class PrintableStream {
 public:
  PrintableStream(std::ostream& stream, Repaint repaint);
  /// Writes the rest, and restores the stream.
  ~PrintableStream();
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  class Filter;
  friend void write_unfiltered(std::ostream& out, std::string_view text);

  std::ostream& stream_;
  std::unique_ptr<Filter> filter_;
  std::streambuf* own_;  ///< the stream's own buffer
};

/// Writes the program's own text, with colours, unfiltered. Text from elsewhere must have passed
/// printable() before.
void write_unfiltered(std::ostream& out, std::string_view text);

}  // namespace epochcast
