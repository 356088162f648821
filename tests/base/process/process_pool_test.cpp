// SPDX-License-Identifier: Apache-2.0
#include "base/process/process_pool.hpp"

#include <csignal>
#include <functional>

#include "base/process/diverged.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

TaskAnswer answer_of(const std::function<std::string()>& task) {
  TaskAnswer answer;
  run_in_processes(
      1,
      1,
      [&](std::size_t) { return task(); },
      [&](std::size_t, TaskAnswer got) { answer = std::move(got); });
  return answer;
}

ProgramAnswer answer_of(const std::string& script) {
  ProgramAnswer answer;
  run_programs(
      1,
      1,
      [&](std::size_t, const ChildFiles& files) {
        return Child::start({"sh", "-c", script}, files);
      },
      [](std::size_t) { return Turn::start; },
      [](std::size_t, const std::string&) {},
      [&](std::size_t, ProgramAnswer got) { answer = std::move(got); });
  return answer;
}

TEST_CASE("every task's answer is returned, with any bytes") {
  const std::string bytes = std::string(200000, 'x') + '\n' + '\0' + "end";
  std::vector<std::string> texts(5);
  run_in_processes(
      texts.size(),
      2,
      [&](std::size_t task) { return std::to_string(task) + bytes; },
      [&](std::size_t task, TaskAnswer answer) {
        CHECK(answer.ending == Ending::done);
        CHECK(answer.problems.empty());
        texts[task] = std::move(answer.text);
      });

  for (std::size_t task = 0; task < texts.size(); ++task)
    CHECK(texts[task] == std::to_string(task) + bytes);
}

TEST_CASE("an exception of a task is returned with its kind and problems") {
  const TaskAnswer bad = answer_of([]() -> std::string { throw UserError(Texts{"a\nb", "c"}); });
  CHECK(bad.ending == Ending::bad_input);
  CHECK(bad.problems == Texts{"a\\x0ab", "c"});

  const TaskAnswer failed = answer_of([]() -> std::string { throw RunError("two\nlines"); });
  CHECK(failed.ending == Ending::failed);
  CHECK(failed.problems == Texts{"two\nlines"});

  CHECK(answer_of([]() -> std::string { throw Diverged("nan"); }).ending == Ending::diverged);
}

TEST_CASE("a task whose process dies counts as killed, with any exit status") {
  const TaskAnswer killed = answer_of([]() -> std::string {
    std::raise(SIGKILL);
    return "never";
  });
  CHECK(killed.ending == Ending::killed);
  CHECK(killed.problems == Texts{"killed by signal 9 (Killed)"});

  const TaskAnswer left = answer_of([]() -> std::string { _exit(2); });
  CHECK(left.ending == Ending::killed);
  CHECK(left.problems == Texts{"ended with exit status 2"});
}

TEST_CASE("a program's ending, output and errors are returned separately") {
  const ProgramAnswer answer = answer_of("echo out; echo err >&2; exit 3");

  CHECK(answer.status.ending() == Ending::diverged);
  CHECK(answer.text == "out\n");
  CHECK(answer.messages == "err\n");
}

}  // namespace
}  // namespace epochcast::tests
