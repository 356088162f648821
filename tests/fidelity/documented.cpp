// SPDX-License-Identifier: Apache-2.0
#include "tests/fidelity/documented.hpp"

#include <cstdio>

#include "base/files/text_file.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {

void check_documented(const std::string& row) {
  std::printf("%s\n", row.c_str());
  const std::string page = read_text_file(EPOCHCAST_SOURCE_DIR "/docs/published.md");
  CAPTURE(row);
  CHECK(page.find(row) != std::string::npos);
}

std::string fixed(double value, int digits, bool is_signed) {
  char text[64];
  std::snprintf(text, sizeof(text), is_signed ? "%+.*f" : "%.*f", digits, value);
  return text;
}

}  // namespace epochcast::tests
