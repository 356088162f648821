// SPDX-License-Identifier: Apache-2.0
#include "base/text/printable_stream.hpp"

#include <sstream>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// The output after these pieces, each written and flushed on its own.
std::string arriving(const std::vector<std::string>& pieces, Repaint repaint = Repaint::none) {
  std::ostringstream out;
  {
    const PrintableStream guard(out, repaint);
    for (const std::string& piece : pieces) out << piece << std::flush;
  }
  return out.str();
}

TEST_CASE("lines, tabs and texts pass a printable stream, escape sequences do not") {
  CHECK(arriving({"a\tb\n\u00fc\n"}) == "a\tb\n\u00fc\n");
  CHECK(arriving({"\x1b]0;title\x07\x1b[2J\r\n"}) == "\\x1b]0;title\\x07\\x1b[2J\\x0d\n");
}

TEST_CASE("a progress bar may repaint its line, and nothing else") {
  CHECK(arriving({"\r[##..]\x1b[K", "\r\x1b[K"}, Repaint::line) == "\r[##..]\x1b[K\r\x1b[K");
  CHECK(arriving({"\x1b[1K\x1b[A"}, Repaint::line) == "\\x1b[1K\\x1b[A");
}

TEST_CASE("a character that is written in two pieces is one character") {
  CHECK(arriving({"\xc3", "\xbc"}) == "\u00fc");
  CHECK(arriving({"\xe2\x80", "\xae"}) == "\\u202e");
  CHECK(arriving({"\x1b", "[", "K"}, Repaint::line) == "\x1b[K");
  CHECK(arriving({"\x1b", "[", "2J"}, Repaint::line) == "\\x1b[2J");
}

TEST_CASE("an incomplete character is escaped at the end") {
  CHECK(arriving({"a\xc3"}) == "a\\xc3");
  CHECK(arriving({"a\x1b["}, Repaint::line) == "a\\x1b[");
}

TEST_CASE("the destructor restores the stream") {
  std::ostringstream out;
  { const PrintableStream guard(out, Repaint::none); }
  out << "\x1b";

  CHECK(out.str() == "\x1b");
}

TEST_CASE("much text is written without a flush, each character once") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "\u00fc\n";

  CHECK(arriving({text}) == text);
}

TEST_CASE("a failure of the stream is visible through the filter") {
  std::ostringstream out;
  const PrintableStream guard(out, Repaint::none);
  out.setstate(std::ios::badbit);
  out << "a" << std::flush;

  CHECK_FALSE(out);
}

}  // namespace
}  // namespace epochcast::tests
