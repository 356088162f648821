// SPDX-License-Identifier: Apache-2.0
#include "base/text/progress_bar.hpp"

#include <chrono>
#include <sstream>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Work of a given duration.
struct Work {
  std::chrono::steady_clock::time_point now;
  ProgressBar::Clock clock = [this] { return now; };

  void take(double seconds) {
    now += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
  }
};

/// The same work, reported to a terminal and to a log.
struct BarAndLines {
  explicit BarAndLines(double total)
      : bar(terminal, true, "validating", total, 0, work.clock),
        lines(log, false, "validating", total, 0, work.clock) {}

  Work work;
  std::ostringstream terminal;
  std::ostringstream log;
  ProgressBar bar;
  ProgressBar lines;
};

TEST_CASE("a bar is shown after half a second on a terminal, after ten seconds in a log") {
  BarAndLines shown(100);

  shown.work.take(0.4);
  shown.bar.update(10);
  CHECK(shown.terminal.str().empty());
  shown.work.take(0.2);
  shown.bar.update(20);
  CHECK_THAT(shown.terminal.str(), Catch::Contains("validating 20/100, 2.40 s left"));

  shown.work.take(9);
  shown.lines.update(30);
  CHECK(shown.log.str().empty());
  shown.work.take(0.4);
  shown.lines.update(40);
  CHECK(shown.log.str() == "validating 40/100, 15.0 s left\n");
}

TEST_CASE("added work is part of the rest") {
  Work work;
  std::ostringstream out;
  ProgressBar bar(out, true, "validating", 10, 0, work.clock);
  work.take(60);

  bar.set_total(20);
  bar.update(15);

  CHECK_THAT(out.str(), Catch::Contains("[######################........] validating 15/20, "));
}

TEST_CASE("a bar is full if more was done than the total, with no time left") {
  BarAndLines shown(10);
  shown.work.take(60);

  shown.bar.update(15);
  shown.lines.update(15);

  const std::string full(30, '#');
  CHECK_THAT(shown.terminal.str(), Catch::Contains("[" + full + "] validating 15/10, 0 s left"));
  CHECK(shown.log.str() == "validating 15/10, 0 s left\n");
}

}  // namespace
}  // namespace epochcast::tests
