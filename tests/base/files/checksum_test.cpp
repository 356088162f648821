// SPDX-License-Identifier: Apache-2.0
#include "base/files/checksum.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a checksum is XXH3's 128 bits in the canonical order") {
  // As `xxhsum -H2` prints them.
  CHECK(checksum("") == "99aa06d3014798d86001c324468d497f");
  CHECK(checksum("abc") == "06b05ab6733a618578af5f94892f3950");
}

TEST_CASE("a flipped bit changes the checksum") {
  const std::string text = "epoch_s 1.25";
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));

    CHECK(checksum(damaged) != checksum(text));
  }
}

}  // namespace
}  // namespace epochcast::tests
