// SPDX-License-Identifier: Apache-2.0
#include "base/process/ending.hpp"

#include <csignal>
#include <filesystem>

#include "base/process/child.hpp"
#include "base/process/diverged.hpp"
#include "base/process/interruption.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

/// The ending of a process with this exit status.
ExitStatus of_returned(int status) {
  return Child::fork([&] { return status; }).wait();
}

/// The ending of a process killed by this signal.
ExitStatus of_killed(int signal) {
  return Child::fork([&] { return std::signal(signal, SIG_DFL), std::raise(signal); }).wait();
}

TEST_CASE("each ending has its own exit status, and is recognised by it") {
  CHECK(status_of(Ending::done) == 0);
  CHECK(status_of(Ending::failed) == 1);
  CHECK(status_of(Ending::bad_input) == 2);
  CHECK(status_of(Ending::diverged) == 3);
  for (const Ending ending : {Ending::done, Ending::failed, Ending::bad_input, Ending::diverged})
    CHECK(of_returned(status_of(ending)).ending() == ending);
}

TEST_CASE("an unknown exit status is a failure, one above 128 a signal") {
  CHECK(ending_of(4) == Ending::failed);
  CHECK(ending_of(Child::kNotStarted) == Ending::failed);
  CHECK(ending_of(128 + SIGTERM) == Ending::killed);
  CHECK(of_returned(128 + SIGINT).ending() == Ending::killed);
}

TEST_CASE("an exception decides a program's exit status and messages") {
  CHECK(status_of(UserError("a: wrong")) == 2);
  CHECK(status_of(Diverged("the loss is nan")) == 3);
  CHECK(status_of(RunError("the disk is full")) == 1);
  CHECK(status_of(std::logic_error("a bug")) == 1);
  CHECK(status_of(Interrupted(SIGINT)) == 128 + SIGINT);
  CHECK(epochcast::problems_of(UserError(Texts{"a: wrong", "b: missing"})) ==
        Texts{"a: wrong", "b: missing"});
  CHECK(epochcast::problems_of(Interrupted(SIGINT)) == Texts{"ended by SIGINT"});
  CHECK(epochcast::problems_of(std::filesystem::filesystem_error(
            "status", "models", std::make_error_code(std::errc::permission_denied))) ==
        Texts{"models: Permission denied"});
}

TEST_CASE("a death by a signal is described with the signal's name") {
  CHECK(of_returned(0).death().empty());
  CHECK(of_returned(3).death() == "ended with exit status 3");
  const ExitStatus killed = of_killed(SIGKILL);
  CHECK(killed.death() == "killed by signal 9 (Killed)");
  CHECK(killed.ending() == Ending::killed);
  CHECK(killed.in_shell() == 137);
}

}  // namespace
}  // namespace epochcast::tests
