// SPDX-License-Identifier: Apache-2.0
#include "base/text/plain_text.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// A text that is not plain, and its escaped form.
struct Hostile {
  std::string text;
  std::string shown;
};

const Hostile kHostile[] = {
    {"a\nb", "a\\x0ab"},
    {"\x1b[2J", "\\x1b[2J"},
    {std::string("\0", 1), "\\x00"},
    {"\x7f", "\\u007f"},
    {"\xc2\x9b"
     "2J",
     "\\u009b2J"},                                     // U+009B, C1's form of ESC [
    {"\u202egpj.exe\u2066", "\\u202egpj.exe\\u2066"},  // right-to-left text
    {"\u2028", "\\u2028"},                             // a line separator
    {"\x9b", "\\x9b"},                                 // no UTF-8
    {"caf\xe9", "caf\\xe9"},                           // Latin-1
    {"\xc0\xaf", "\\xc0\\xaf"},                        // overlong
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},               // a surrogate
    {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},      // beyond Unicode
    {"\xe2\x82", "\\xe2\\x82"},                        // cut off
};

TEST_CASE("characters that control a terminal are escaped") {
  for (const Hostile& each : kHostile) {
    CAPTURE(each.shown);
    CHECK_FALSE(is_plain_text(each.text));
    CHECK(printable(each.text) == each.shown);
    CHECK(is_plain_text(each.shown));
  }
}

TEST_CASE("texts of any language are plain and unchanged") {
  for (const std::string text : {"",
                                 "ResNet-20 on a 2\u00d78 cluster",
                                 "\u65e5\u672c\u8a9e",
                                 "\U0001f680",
                                 "\u05e9\u05dc"}) {
    CHECK(is_plain_text(text));
    CHECK(printable(text) == text);
  }
}

TEST_CASE("names are letters, digits and a few signs, a letter or digit first") {
  for (const std::string name : {"a", "v100-32gb", "Tesla V100", "shufflenetv2-1x", "A100 (40GB)"})
    CHECK(is_name(name));
  for (const std::string name :
       {"", " a", "a ", "-n", ".a", "a\nb", "a,b", "a=b", "a;b", "$(a)", "a/b", "b\u00fcro", "'"})
    CHECK_FALSE(is_name(name));
  CHECK(is_name(std::string(100, 'a')));
  CHECK_FALSE(is_name(std::string(101, 'a')));
}

TEST_CASE("any file name becomes a valid name") {
  CHECK(as_name("my-cpu.1") == "my-cpu.1");
  CHECK(as_name("my trace; rm") == "my-trace--rm");
  CHECK(as_name("") == "x");
  for (const std::string& file :
       {std::string("-n"), std::string("b\u00fcro"), std::string("\x1b[2J"), std::string(300, '-')})
    CHECK(is_name(as_name(file)));
}

TEST_CASE("an incomplete character at the end of a text is recognised") {
  CHECK(incomplete_bytes("") == 0);
  CHECK(incomplete_bytes("a") == 0);
  CHECK(incomplete_bytes("\u00fc") == 0);
  CHECK(incomplete_bytes("a\xc3") == 1);
  CHECK(incomplete_bytes("a\xe2\x82") == 2);
  CHECK(incomplete_bytes("a\xf0\x9f\x9a") == 3);
  CHECK(incomplete_bytes("\x80\x80") == 0);
}

}  // namespace
}  // namespace epochcast::tests
