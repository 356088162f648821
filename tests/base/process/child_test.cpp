// SPDX-License-Identifier: Apache-2.0
#include "base/process/child.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"
#include "tests/base/process/processes.hpp"
#include "tests/catch.hpp"
#include "tests/support/run_program.hpp"

namespace epochcast::tests {
namespace {

/// Numbers in memory shared by several processes.
template <typename T>
class Shared {
 public:
  Shared()
      : at_(static_cast<T*>(
            mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Shared() { munmap(const_cast<std::remove_volatile_t<T>*>(at_), sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator*() { return *at_; }

 private:
  T* at_;
};

TEST_CASE("a parent gets its child's output and exit status") {
  const Outcome outcome = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});

  CHECK(outcome.out == "out\n");
  CHECK(outcome.err == "err\n");
  CHECK(outcome.status == 3);
  CHECK(run_program({"sh", "-c", "kill -KILL $$"}).status == 128 + SIGKILL);
  CHECK(run_program({"true"}).status == 0);
  CHECK(run_program({"epochcast-no-such-program"}).status == Child::kNotStarted);
}

TEST_CASE("a child reads the given input, or none") {
  const FileDescriptor input = unnamed_file("given\n");
  const FileDescriptor output = unnamed_file();

  CHECK(Child::start({"cat"}, {.in = input.number(), .out = output.number()}).wait().in_shell() ==
        0);
  CHECK(text_of(output) == "given\n");
  CHECK(run_program({"cat"}).out.empty());
}

TEST_CASE("a child leads its own process group") {
  std::istringstream numbers(run_program({"sh", "-c", "ps -o pid= -o pgid= -p $$"}).out);
  pid_t pid = 0;
  pid_t group = 0;
  numbers >> pid >> group;

  CHECK(pid > 0);
  CHECK(group == pid);
}

TEST_CASE("a program does not inherit its parent's pipes and unnamed files") {
  const Pipe pipe;
  const FileDescriptor file = unnamed_file("text");
  const std::vector<std::string> own = {"/proc/self/fd/" + std::to_string(pipe.reading.number()),
                                        "/proc/self/fd/" + std::to_string(pipe.writing.number()),
                                        "/proc/self/fd/" + std::to_string(file.number())};

  for (const std::string& name : own) CHECK(run_program({"test", "-e", name}).status == 1);
  CHECK(run_program({"test", "-e", "/proc/self/fd/2"}).status == 0);
}

TEST_CASE("a child's exit status can be read more than once") {
  Child child = Child::fork([] { return 3; });

  CHECK(child.wait().in_shell() == 3);
  CHECK(child.has_ended());
  CHECK(child.wait().in_shell() == 3);
}

TEST_CASE("a child's resource usage is known after its end") {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  Child idle = Child::fork([] { return 0; });
  Child large = Child::fork([] {
    const std::vector<char> memory(kBytes, 1);
    return memory.back() - 1;
  });
  CHECK(idle.wait().in_shell() == 0);
  CHECK(large.wait().in_shell() == 0);

  // Resident memory is reported in KiB.
  CHECK(large.used().ru_maxrss - idle.used().ru_maxrss > static_cast<long>(kBytes / 1024 * 9 / 10));
}

TEST_CASE("an exception in a forked child ends that child only") {
  Child child = Child::fork([]() -> int {
    std::signal(SIGABRT, SIG_DFL);   // not Catch's
    std::set_terminate(std::abort);  // nor the library's message
    throw std::runtime_error("a bug");
  });

  CHECK(child.wait().ending() == Ending::killed);
}

TEST_CASE("a child that goes out of scope is ended with its descendants") {
  const SignalScope signals;
  Pipe pipe;
  pid_t pid = 0;
  {
    const Child child =
        Child::start({"sh", "-c", "sleep 1000 & sleep 1000"}, {.out = pipe.writing.number()});
    pid = child.pid();
    pipe.writing.reset();
  }

  CHECK_FALSE(is_alive(pid));
  CHECK(read_some(pipe.reading).empty());  // the other end is closed
}

TEST_CASE("descendants of a child have time to end after it") {
  const SignalScope signals;
  Pipe pipe;
  {
    const Child child = Child::start(
        {"sh",
         "-c",
         "sh -c 'trap \"sleep 0.2; echo cleaned; exit\" TERM; echo; sleep 1000 & wait'; true"},
        {.out = pipe.writing.number()});
    pipe.writing.reset();
    CHECK(read_some(pipe.reading) == "\n");
  }

  CHECK(read_some(pipe.reading) == "cleaned\n");
}

TEST_CASE("a child that ignores SIGTERM is killed") {
  const SignalScope signals;
  Pipe pipe;
  pid_t pid = 0;
  {
    const Child child = Child::start({"sh", "-c", "trap '' TERM; echo deaf; sleep 1000"},
                                     {.out = pipe.writing.number()});
    pid = child.pid();
    pipe.writing.reset();
    CHECK(read_some(pipe.reading) == "deaf\n");
  }

  CHECK_FALSE(is_alive(pid));
}

TEST_CASE("a child ends when its parent is killed, a program and a fork alike") {
  for (const bool is_program : {true, false}) {
    CAPTURE(is_program);
    Pipe pipe;
    Child parent = in_process([&] {
      const SignalScope signals;
      Child child = is_program ? Child::start({"sh", "-c", "echo; exec sleep 1000"},
                                              {.out = pipe.writing.number()})
                               : Child::fork([&] {
                                   static_cast<void>(write(pipe.writing.number(), "\n", 1));
                                   return pause();
                                 });
      return child.wait().in_shell();
    });
    pipe.writing.reset();
    CHECK(read_some(pipe.reading) == "\n");
    kill_now(parent);

    CHECK(read_some(pipe.reading).empty());  // ends when parent and child have ended
  }
}

TEST_CASE("a signal interrupts a wait, and decides the exit status") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Shared<volatile pid_t> child_pid;
    *child_pid = 0;
    Child parent = in_process([&] {
      return exit_status("test", [&] {
        const SignalScope signals;
        Child child = Child::start({"sleep", "1000"});
        *child_pid = child.pid();
        return child.wait().in_shell();
      });
    });
    REQUIRE(soon([&] { return *child_pid != 0; }));
    kill(parent.pid(), signal);

    CHECK(parent.wait().in_shell() == 128 + signal);
    CHECK_FALSE(is_alive(*child_pid));
  }
}

TEST_CASE("a signal outside of a wait is not lost") {
  Child child = in_process([] {
    {
      const SignalScope signals;
      std::raise(SIGTERM);
    }
    return 0;
  });

  CHECK(child.wait().death() == "killed by signal 15 (Terminated)");
}

TEST_CASE("a signal to a forked process does not wake its parent") {
  { const SignalScope made_its_pipe; }
  Child child = in_process([] {
    const SignalScope signals;
    return std::raise(SIGTERM);
  });
  pollfd wake = {.fd = SignalScope::descriptor(), .events = POLLIN, .revents = 0};

  child.wait();
  REQUIRE(wake.fd >= 0);
  CHECK(poll(&wake, 1, 0) == 0);
}

TEST_CASE("the message of an interruption has the signal and the kept results") {
  CHECK(std::string(Interrupted(SIGINT).what()) == "ended by SIGINT");
  CHECK(std::string(Interrupted(SIGTERM, "nothing was kept").what()) ==
        "ended by SIGTERM; nothing was kept");
}

}  // namespace
}  // namespace epochcast::tests
