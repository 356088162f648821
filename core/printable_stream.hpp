// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>

namespace epochcast {

/// What a stream to a terminal lets through besides plain text, line ends and tabs.
enum class Repaint {
  none,
  line,  ///< what a progress bar needs: back to the line's begin, and wipe it to its end
};

/// Lets a stream write printable() text only, for as long as this object lives: whatever a name, a
/// file or another program says, it does not control the terminal that it is shown on.
///
/// For std::cout and std::cerr, in main.
class PrintableStream {
 public:
  PrintableStream(std::ostream& stream, Repaint repaint);
  /// Writes what is left, and gives the stream back as it was.
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

/// Writes text of ours, with its colours, past the filter of a stream that has one. What came from
/// elsewhere must have gone through printable() before.
void write_unfiltered(std::ostream& out, std::string_view text);

}  // namespace epochcast
