// SPDX-License-Identifier: Apache-2.0
#include "core/process/child.hpp"

#include <sys/mman.h>

#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "tests/catch.hpp"
#include "tests/core/process/processes.hpp"

namespace epochcast::tests {
namespace {

/// Numbers that several processes see.
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

std::string output_of(const std::vector<std::string>& words, int& status) {
  const SignalScope signals;
  Pipe pipe;
  Child child = Child::start(words, {.out = pipe.writing.number()});
  pipe.writing.reset();
  std::string text;
  read_until_end(pipe.reading, [&](const std::string& piece) { text += piece; });
  status = child.wait();
  return text;
}

TEST_CASE("a child's output and the way it ended are its parent's to know") {
  int status = 0;

  CHECK(output_of({"sh", "-c", "echo out; exit 3"}, status) == "out\n");
  CHECK(death_of(status) == "ended with exit status 3");
  CHECK(shell_status(status) == 3);
  CHECK(output_of({"sh", "-c", "kill -KILL $$"}, status).empty());
  CHECK(death_of(status) == "killed by signal 9 (Killed)");
  CHECK(shell_status(status) == 137);
  CHECK(output_of({"true"}, status).empty());
  CHECK(death_of(status).empty());
}

TEST_CASE("a child leads a group of its own, and reads nothing") {
  int status = 0;
  std::istringstream numbers(output_of({"sh", "-c", "cat; ps -o pid= -o pgid= -p $$"}, status));
  pid_t pid = 0;
  pid_t group = 0;
  numbers >> pid >> group;

  CHECK(pid > 0);
  CHECK(group == pid);
}

TEST_CASE("a child that goes out of scope has ended, with all that it started") {
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
  CHECK(read_some(pipe.reading).empty());  // nobody holds the other end
}

TEST_CASE("what a child has started has time to end after it") {
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

TEST_CASE("a child that does not want to end is killed") {
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
    const pid_t parent = in_process([&] {
      const SignalScope signals;
      Child child = is_program ? Child::start({"sleep", "1000"}, {.out = pipe.writing.number()})
                               : Child::fork([] { pause(); });
      return child.wait();
    });
    pipe.writing.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(parent, SIGKILL);
    ended(parent);

    CHECK(read_some(pipe.reading).empty());  // comes when parent and child are gone
  }
}

TEST_CASE("a signal ends what a process waits for, and is its exit status") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Shared<volatile pid_t> child_pid;
    *child_pid = 0;
    const pid_t parent = in_process([&] {
      return exit_status("test", [&] {
        const SignalScope signals;
        Child child = Child::start({"sleep", "1000"}, {});
        *child_pid = child.pid();
        return child.wait();
      });
    });
    REQUIRE(soon([&] { return *child_pid != 0; }));
    kill(parent, signal);

    CHECK(shell_status(ended(parent)) == 128 + signal);
    CHECK_FALSE(is_alive(*child_pid));
  }
}

TEST_CASE("a signal that came while nobody waited is not lost") {
  const pid_t pid = in_process([] {
    {
      const SignalScope signals;
      std::raise(SIGTERM);
    }
    return 0;
  });
  const int status = ended(pid);

  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("an interruption says which signal it was and what was kept") {
  CHECK(std::string(Interrupted(SIGINT).what()) == "ended by SIGINT");
  CHECK(std::string(Interrupted(SIGTERM, "nothing was kept").what()) ==
        "ended by SIGTERM; nothing was kept");
}

}  // namespace
}  // namespace epochcast::tests
