// SPDX-License-Identifier: Apache-2.0
#include "base/text/shell_text.hpp"

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"
#include "tests/support/run_program.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("plain words are unchanged, others are quoted") {
  CHECK(shell_text({"mpirun", "-n", "4", "--data=/a/b_c.json", "x:1,y@z"}) ==
        "mpirun -n 4 --data=/a/b_c.json x:1,y@z");
  CHECK(shell_text({"", "a b", "it's", "$HOME", "~"}) == "'' 'a b' 'it'\\''s' '$HOME' '~'");
}

TEST_CASE("a shell reads any words back unchanged") {
  Random random(7);
  std::vector<std::string> words = {"a\nrm -rf x", "`id`", "$(id)", "'", "\\", "!!", "-n", "a;b"};
  for (int i = 0; i < 40; ++i) {
    std::string word;
    for (int c = 0; c < 6; ++c) word += static_cast<char>(1 + random.uniform() * 255);
    words.push_back(word);
  }
  std::string expected;
  for (const std::string& word : words) expected += "<" + word + ">";

  const Outcome shell = run_program({"sh", "-c", "printf '<%s>' " + shell_text(words)});

  CHECK(shell.status == 0);
  CHECK(shell.out == expected);
}

}  // namespace
}  // namespace epochcast::tests
