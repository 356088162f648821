// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>

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

  std::ostream& stream_;
  std::unique_ptr<Filter> filter_;
  std::streambuf* own_;  ///< the stream's own buffer
};

}  // namespace epochcast
