// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/escaped_html.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("special characters of HTML are escaped") {
  CHECK(escaped_html("a<b> & \"c\" 'd'") == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  CHECK(escaped_html("naïve") == "naïve");
}

}  // namespace
}  // namespace epochcast::tests
