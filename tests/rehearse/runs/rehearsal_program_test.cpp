// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_program.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a rehearsal's arguments are its settings and ends with all digits") {
  RehearsalTask task;
  task.config.strategy = "sync";
  task.config.machine.threads = 3;
  task.stop_after_s = 0.1;

  const Texts words = rehearsal_arguments(task, "/kept/1.state");

  REQUIRE(words.size() > 2);
  const auto has = [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  CHECK(has("--strategy=sync"));
  CHECK(has("--state=/kept/1.state"));
  CHECK(has("--stop-after=0.10000000000000001s"));
}

TEST_CASE("lines of a rehearsal are epochs, warnings, or ignored") {
  Texts warnings;
  const auto epoch = [&](const std::string& line) {
    return epoch_in(line, "program", [&](const std::string& text) { warnings.push_back(text); });
  };
  CurvePoint point;
  point.epoch = 7;

  const std::optional<ReportedEpoch> read = epoch(to_json(point).dump());
  REQUIRE(read);
  CHECK(read->point.epoch == 7);
  CHECK_FALSE(read->is_known);
  CHECK_FALSE(epoch(R"({"warning": "from the beginning"})"));
  CHECK(warnings == Texts{"from the beginning"});
  CHECK_FALSE(epoch("no JSON"));
  CHECK_FALSE(epoch(R"({"run": {}})"));
  CHECK(problems_of([&] { static_cast<void>(epoch(R"({"epoch": "seven"})")); }).size() > 1);
}

TEST_CASE("the last line is the result, problems are the program's lines on stderr") {
  CHECK(last_line("{}\n{\"run\": 1}\n") == "{\"run\": 1}");
  CHECK(last_line("alone") == "alone");
  CHECK(last_line("alone\n") == "alone");
  CHECK(problems_in("noise\nepochcast: a: wrong\nepochcast: b\n") == Texts{"a: wrong", "b"});
  CHECK(problems_in("Segmentation fault\n").empty());
}

}  // namespace
}  // namespace epochcast::tests
