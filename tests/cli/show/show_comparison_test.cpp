// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_comparison.hpp"

#include <sstream>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

ComparedRun run_of(double time_s) {
  ComparedRun run;
  run.time_s = time_s;
  run.phases = {.compute_s = 0.7 * time_s, .exposed_communication_s = 0.3 * time_s, .blocked_s = 0};
  run.inter_node_bytes = 100;
  return run;
}

std::vector<std::string> shown(const Comparison& comparison) {
  std::ostringstream out;
  show_comparison(out, comparison, TableLook());
  return lines(out.str());
}

/// The row of these times of A and B.
std::string row_of(double a_s, double b_s) {
  const ComparedPair pair = {.name = "sync", .shown = "sync", .a = run_of(a_s), .b = run_of(b_s)};
  return shown({.a = "a", .b = "b", .pairs = {pair}}).at(5);
}

TEST_CASE("times that differ by rounding alone are shown as equal") {
  CHECK(row_of(50, 50 * (1 - 1e-15)) ==
        "sync  50.0 s  50.0 s  0.0 %      0 s       0 s      0 s          0.0 %");
  CHECK(row_of(50, 60) ==
        "sync  50.0 s  60.0 s  +20.0 %  +7.00 s   +3.00 s      0 s  compute  0.0 %");
}

TEST_CASE("a change too small to be shown has no sign") {
  CHECK_THAT(row_of(50, 49.99), Catch::Contains(" 0.0 % "));
  CHECK_THAT(row_of(50, 49.95), Catch::Contains(" -0.1 % "));
}

TEST_CASE("figures are shown with units, unless rounding hides the difference") {
  const std::vector<std::string> text =
      shown({.a = "a",
             .b = "b",
             .pairs = {{.name = "sync", .shown = "sync", .a = run_of(1), .b = run_of(1)}},
             .figures = {{.name = "reduce", .a = "1.117e+06MBps", .b = "512000MBps"},
                         {.name = "latency", .a = "12.5us", .b = ""},
                         {.name = "memory", .a = "32GiB", .b = "16000000000B"},
                         {.name = "backbone", .a = "100001MBps", .b = "100002MBps"},
                         {.name = "rate", .a = "2USD/h", .b = "3USD/h"}}});
  REQUIRE(text.size() >= 6);

  CHECK(std::vector(text.end() - 6, text.end()) ==
        std::vector<std::string>{"Figures of the platforms that differ (A -> B):",
                                 "  reduce: 1.12 TB/s -> 512 GB/s",
                                 "  latency: 12.5 us -> (none)",
                                 "  memory: 32GiB -> 16.0 GB",
                                 "  backbone: 100001MBps -> 100002MBps",
                                 "  rate: 2USD/h -> 3USD/h"});
}

TEST_CASE("a comparison has unranked pairs below the rest, with the reason") {
  const std::vector<std::string> text =
      shown({.a = "a",
             .b = "b",
             .pairs = {{.name = "sync", .shown = "sync, overlap", .a = run_of(1), .b = run_of(1)},
                       {.name = "one-shot",
                        .shown = "one-shot, steps 9",
                        .not_ranked = "not ranked: averages only after the last epoch",
                        .a = run_of(1),
                        .b = run_of(1)}}});
  REQUIRE(text.size() > 12);

  CHECK(text[5].starts_with("sync, overlap  "));
  CHECK(text[6].empty());
  CHECK(text[7].starts_with("Not ranked: all workers average at most once an epoch"));
  CHECK(text[8].starts_with("one-shot, steps 9  "));
  CHECK(text[11] == "  one-shot, steps 9: not ranked: averages only after the last epoch");
  CHECK(text[12] == "  How accurate the model gets is not compared here, but by epochcast choose.");
}

}  // namespace
}  // namespace epochcast::tests
