// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_stream.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

constexpr JsonStreamLimits kSmall = {.values = 5, .bytes = 20};

/// The elements that were passed, a line each, and the rest.
std::string read(const std::string& text, const JsonStreamLimits& limits = {}) {
  std::istringstream stream(text);
  std::string all;
  const Json rest = read_json_stream(
      stream,
      "f",
      [&](const Json& element, const std::string& path) {
        all += path + " " + element.dump() + "\n";
      },
      limits);
  return all + rest.dump();
}

Texts problems(const std::string& text, const JsonStreamLimits& limits = {}) {
  return problems_of([&] { static_cast<void>(read(text, limits)); });
}

TEST_CASE("a stream passes the elements of top-level lists, and returns the rest") {
  CHECK(read(R"({"a/b": [1, [7], {"c": [8]}, 2], "d": {"e": [3]}, "f": [], "g": null})") ==
        "/a~1b/0 1\n"
        "/a~1b/1 [7]\n"
        "/a~1b/2 {\"c\":[8]}\n"
        "/a~1b/3 2\n"
        R"({"a/b":[],"d":{"e":[3]},"f":[],"g":null})");
  CHECK(read("[[1], 2.5, true, \"x\"]") == "/0 [1]\n/1 2.5\n/2 true\n/3 \"x\"\n[]");
  CHECK(read("3") == "3");
}

TEST_CASE("invalid JSON in a stream is reported with line and column") {
  CHECK(problems("[1,\n 2 3]") == Texts{"f:2:5: not valid JSON at this place"});
  CHECK(problems("[1,\n 2") == Texts{"f:2:3: not valid JSON (the file ends too early)"});
  CHECK(problems("") == Texts{"f:1:1: not valid JSON (the file ends too early)"});
  CHECK(problems("[] x") == Texts{"f:1:4: not valid JSON at this place"});
  CHECK(problems("[\"\xff\"]") == Texts{"f:1:3: not valid JSON at this place"});
  CHECK(problems(R"([{"a": 1, "b": 2, "a": 3}])") == Texts{"f:1:21: duplicate key \"a\""});
  CHECK(problems("[1e999]") == Texts{"f:1:7: got a number that is too large to be represented"});
}

TEST_CASE("the limits of a stream apply to the memory at a time, not to its length") {
  std::string list = "[[1,2,3,4]";
  for (int i = 0; i < 1000; ++i) list += ",[1,2,3,4]";
  const std::string problem =
      ": got an element of more than 5 values or 20 B; expected a profile's events";

  CHECK(problems(list + "]", kSmall).empty());
  CHECK(problems("[[1,2,3,4,5]]", kSmall) == Texts{"f:1:12" + problem});
  CHECK(problems(R"({"a":1,"b":[],"c":2,"d":[],"e":3})", kSmall).size() == 1);
  CHECK(problems("[\"0123456789012345678901234567890\"]", kSmall) == Texts{"f:1:22" + problem});
  CHECK(problems("[" + std::string(100, ' ') + "]", kSmall) == Texts{"f:1:22" + problem});
  CHECK(problems("[{\"0123456789012345\": 1, \"01234567890\": 2}]", kSmall).size() == 1);
  CHECK(problems(std::string(33, '[')) == Texts{"f:1:33: nested deeper than any profile"});
}

}  // namespace
}  // namespace epochcast::tests
