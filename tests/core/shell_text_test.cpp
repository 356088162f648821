// SPDX-License-Identifier: Apache-2.0
#include "core/shell_text.hpp"

#include <array>
#include <cstdio>

#include "core/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("plain words stand as they are, others are quoted") {
  CHECK(shell_text({"mpirun", "-n", "4", "--data=/a/b_c.json", "x:1,y@z"}) ==
        "mpirun -n 4 --data=/a/b_c.json x:1,y@z");
  CHECK(shell_text({"", "a b", "it's", "$HOME", "~"}) == "'' 'a b' 'it'\\''s' '$HOME' '~'");
}

TEST_CASE("a shell takes any words as they were") {
  Random random(7);
  std::vector<std::string> words = {"a\nrm -rf x", "`id`", "$(id)", "'", "\\", "!!", "-n", "a;b"};
  for (int i = 0; i < 40; ++i) {
    std::string word;
    for (int c = 0; c < 6; ++c) word += static_cast<char>(1 + random.uniform() * 255);
    words.push_back(word);
  }
  std::string expected;
  for (const std::string& word : words) expected += "<" + word + ">";

  FILE* shell = popen(("printf '<%s>' " + shell_text(words)).c_str(), "r");
  REQUIRE(shell != nullptr);
  std::string taken;
  std::array<char, 4096> piece{};
  for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), shell)) > 0;)
    taken.append(piece.data(), size);

  CHECK(pclose(shell) == 0);
  CHECK(taken == expected);
}

}  // namespace
}  // namespace epochcast::tests
