// SPDX-License-Identifier: Apache-2.0
#include "base/statistics/spread.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("shares are printed in percent, with the given number of decimals") {
  CHECK(format_percent(0.544, 2) == "54.40 %");
  CHECK(format_percent(-0.0314, 1) == "-3.1 %");
  CHECK(format_percent(12.345, 0) == "1234 %");
}

TEST_CASE("shares are printed in percent, with their deviation over seeds") {
  CHECK(percent_text({.mean = 0.544, .deviation = 0.012}, false) == "54.40 ± 1.20 %");
  CHECK(percent_text({.mean = 0.544}, true) == "54.40 %");
}

}  // namespace
}  // namespace epochcast::tests
