// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a UserError's text is its problems, one a line") {
  const UserError error(Texts{"a: wrong", "b: missing"});

  CHECK(error.problems() == Texts{"a: wrong", "b: missing"});
  CHECK(error.what() == std::string("a: wrong\nb: missing"));
}

TEST_CASE("control characters in a problem do not reach the terminal") {
  const UserError error("key \"a\nb\x1b[2J\x7f\" is \u00fc");

  CHECK(error.problems() == Texts{"key \"a\\x0ab\\x1b[2J\\u007f\" is \u00fc"});
}

}  // namespace
}  // namespace epochcast::tests
