// SPDX-License-Identifier: Apache-2.0
#include "core/progress_bar.hpp"

#include <chrono>
#include <sstream>
#include <thread>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// The first half second of any work is quiet.
void work() { std::this_thread::sleep_for(std::chrono::milliseconds(600)); }

TEST_CASE("work that turns up on the way is part of what is left") {
  std::ostringstream out;
  ProgressBar bar(out, true, "validating", 10);
  work();

  bar.set_total(20);
  bar.update(15);

  CHECK_THAT(out.str(), Catch::Contains("[######################........] validating 15/20, "));
}

TEST_CASE("a bar is full where more was done than there was to do, and nothing is left") {
  std::ostringstream terminal;
  std::ostringstream file;
  ProgressBar bar(terminal, true, "validating", 10);
  ProgressBar lines(file, false, "validating", 10);
  work();

  bar.update(15);
  lines.update(15);

  const std::string full(30, '#');
  CHECK_THAT(terminal.str(), Catch::Contains("[" + full + "] validating 15/10, 0 s left"));
  CHECK(file.str() == "validating 15/10, 0 s left\n");
}

}  // namespace
}  // namespace epochcast::tests
