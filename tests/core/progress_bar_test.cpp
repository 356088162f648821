// SPDX-License-Identifier: Apache-2.0
#include "core/progress_bar.hpp"

#include <chrono>
#include <sstream>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Work that takes as long as it is said to.
struct Work {
  std::chrono::steady_clock::time_point now;
  ProgressBar::Clock clock = [this] { return now; };

  void take(double seconds) {
    now += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
  }
};

TEST_CASE("a terminal hears of work after half a second, a log after ten") {
  Work work;
  std::ostringstream terminal;
  std::ostringstream log;
  ProgressBar bar(terminal, true, "validating", 100, 0, work.clock);
  ProgressBar lines(log, false, "validating", 100, 0, work.clock);

  work.take(0.4);
  bar.update(10);
  CHECK(terminal.str().empty());
  work.take(0.2);
  bar.update(20);
  CHECK_THAT(terminal.str(), Catch::Contains("validating 20/100, 2.40 s left"));

  work.take(9);
  lines.update(30);
  CHECK(log.str().empty());
  work.take(0.4);
  lines.update(40);
  CHECK(log.str() == "validating 40/100, 15.0 s left\n");
}

TEST_CASE("work that turns up on the way is part of what is left") {
  Work work;
  std::ostringstream out;
  ProgressBar bar(out, true, "validating", 10, 0, work.clock);
  work.take(60);

  bar.set_total(20);
  bar.update(15);

  CHECK_THAT(out.str(), Catch::Contains("[######################........] validating 15/20, "));
}

TEST_CASE("a bar is full where more was done than there was to do, and nothing is left") {
  Work work;
  std::ostringstream terminal;
  std::ostringstream file;
  ProgressBar bar(terminal, true, "validating", 10, 0, work.clock);
  ProgressBar lines(file, false, "validating", 10, 0, work.clock);
  work.take(60);

  bar.update(15);
  lines.update(15);

  const std::string full(30, '#');
  CHECK_THAT(terminal.str(), Catch::Contains("[" + full + "] validating 15/10, 0 s left"));
  CHECK(file.str() == "validating 15/10, 0 s left\n");
}

}  // namespace
}  // namespace epochcast::tests
