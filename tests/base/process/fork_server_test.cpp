// SPDX-License-Identifier: Apache-2.0
#include "base/process/fork_server.hpp"

#include <csignal>
#include <string>
#include <vector>

#include "base/process/pipe.hpp"
#include "tests/base/process/processes.hpp"
#include "tests/catch.hpp"
#include "tests/support/soon.hpp"

namespace epochcast::tests {
namespace {

using Words = std::vector<std::string>;

/// A loaded program and a run of it.
struct Run {
  std::string out;
  std::string err;
  int status = 0;
};
Run run(const ForkServer& server, const Words& arguments) {
  const FileDescriptor out = unnamed_file();
  const FileDescriptor err = unnamed_file();
  Child child = server.start(arguments, out.number(), err.number());
  const int status = child.wait().in_shell();
  return {text_of(out), text_of(err), status};
}

TEST_CASE("a loaded program runs with the arguments, streams and status of each run") {
  const ForkServer server({EPOCHCAST_FORKING_PROGRAM});

  const Run echo = run(server, {"echo", "two words", "", "line\nend"});
  CHECK(echo.out == "[echo][two words][][line\nend]");
  CHECK(echo.err == "message");
  CHECK(echo.status == 0);
  CHECK(run(server, {"fail"}).status == 3);
  CHECK(run(server, {"kill"}).status == 128 + SIGKILL);
  CHECK(run(server, {"echo"}).out == "[echo]");  // it survives runs that fail
}

TEST_CASE("several runs of a loaded program go on at the same time") {
  const ForkServer server({EPOCHCAST_FORKING_PROGRAM});
  const FileDescriptor out = unnamed_file();
  const FileDescriptor err = unnamed_file();
  Child waiting = server.start({"wait"}, out.number(), err.number());
  CHECK(soon([&] { return !text_of(out).empty(); }));

  CHECK(run(server, {"echo"}).out == "[echo]");

  CHECK_FALSE(waiting.has_ended());
  const pid_t run = std::stoi(text_of(out));
  CHECK(is_alive(run));
  kill_now(waiting);
  CHECK(soon([&] { return !is_alive(run); }));  // nobody waits for it
}

TEST_CASE("a program that is not there is reported by each run") {
  const ForkServer server({"epochcast-no-such-program"});

  const Run none = run(server, {"echo"});
  CHECK(none.status == Child::kNotStarted);
  CHECK_THAT(none.err, Catch::Contains("the program that was to run has ended"));
}

}  // namespace
}  // namespace epochcast::tests
