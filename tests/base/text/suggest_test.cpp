// SPDX-License-Identifier: Apache-2.0
#include "base/text/suggest.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

const std::vector<std::string> kStrategies = {
    "sync", "hetgrad", "node-based", "local-sgd", "biased-local-sgd"};

TEST_CASE("the closest name is at most a third of the letters away") {
  CHECK(closest_name("hetgrd", kStrategies) == "hetgrad");
  CHECK(closest_name("hertgrads", kStrategies) == "hetgrad");
  CHECK(closest_name("snyc", kStrategies) == "sync");  // a swap is one slip
  CHECK(closest_name("sxyx", kStrategies).empty());    // 2 edits, a third of 4 letters is 1
  CHECK(closest_name("node_based", kStrategies) == "node-based");
  CHECK(closest_name("momentum", kStrategies).empty());
}

TEST_CASE("of two close names the closer one is suggested") {
  CHECK(closest_name("gpu1", {"gpu2-old", "gpu12", "gpu"}) == "gpu12");
  CHECK(closest_name("abcdefghi", {"abcdexxxi", "abcdefghx"}) == "abcdefghx");
}

TEST_CASE("the beginning of a name suggests the name from three letters on") {
  CHECK(closest_name("bia", kStrategies) == "biased-local-sgd");
  CHECK(closest_name("bi", kStrategies).empty());
}

TEST_CASE("nothing is suggested for a name that is too different") {
  CHECK(closest_name(std::string(100'000, 'a'), {std::string(100'000, 'a') + "b"}).empty());
}

TEST_CASE("an unknown name is refused with the closest one, or with all") {
  CHECK(unknown_name("strategy", "hetgrd", kStrategies) ==
        "unknown strategy \"hetgrd\"; did you mean \"hetgrad\"?");
  CHECK(unknown_name("class", "tpu", {"cpu-old", "gpu-new"}) ==
        "unknown class \"tpu\"; known: cpu-old, gpu-new");
}

TEST_CASE("an unknown option lists up to twenty known ones") {
  std::vector<std::string> known;
  for (char letter = 'a'; letter < 'a' + 20; ++letter)
    known.push_back("--" + std::string(8, letter));
  CHECK(unknown_option("--density", known) == unknown_name("option", "--density", known));

  known.emplace_back("--densely");
  CHECK(unknown_option("--density", known) ==
        "unknown option \"--density\"; did you mean \"--densely\"?");
  CHECK(unknown_option("--stage", known) ==
        "unknown option \"--stage\"; `--help all` lists the options");
}

}  // namespace
}  // namespace epochcast::tests
