// SPDX-License-Identifier: Apache-2.0
#include "base/process/process_pool.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/process/child.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"

namespace epochcast {
namespace {

using namespace std::chrono_literals;

/// Interval to poll tasks that another process works on.
constexpr auto kTaskPollInterval = 200ms;

/// A task under way.
struct Process {
  std::size_t task = 0;
  Child child;
  FileDescriptor output;    ///< reading end of the pipe
  FileDescriptor messages;  ///< unnamed
  std::string text = {};
  std::size_t told = 0;  ///< of text: lines that were passed on
};

/// The tasks of a pool.
struct Work {
  std::size_t count = 0;
  /// Starts a task that writes its answer to `output` and other output to `messages`.
  std::function<Child(std::size_t task, int output, int messages)> start;
  std::function<Turn(std::size_t task)> turn;
  std::function<void(std::size_t task, const std::string&)> line;
  std::function<void(std::size_t task, ProgramAnswer)> done;
};

class Pool {
 public:
  Pool(const Work& work, std::size_t parallelism)
      : work_(work), most_(std::max<std::size_t>(1, parallelism)), pending_(work.count) {
    std::iota(pending_.begin(), pending_.end(), std::size_t{0});
  }
  ~Pool() {
    for (Process& process : running_) process.child.ask_to_end();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run() {
    fill();
    while (!running_.empty() || !pending_.empty()) {
      std::vector<int> outputs;
      outputs.reserve(running_.size());
      for (const Process& process : running_) outputs.push_back(process.output.number());
      const bool has_room = running_.size() < most_ && !pending_.empty();
      std::vector<std::size_t> ready =
          wait_for_input(outputs, has_room ? std::optional(kTaskPollInterval) : std::nullopt);
      std::reverse(ready.begin(), ready.end());
      for (const std::size_t index : ready) hear(index);
      fill();
    }
  }

 private:
  void fill() {
    for (auto task = pending_.begin(); task != pending_.end() && running_.size() < most_;) {
      const Turn turn = work_.turn(*task);
      if (turn == Turn::later) {
        ++task;
        continue;
      }
      if (turn == Turn::start) start(*task);
      task = pending_.erase(task);
    }
  }

  void start(std::size_t task) {
    Pipe pipe;
    FileDescriptor messages = unnamed_file();
    Child child = work_.start(task, pipe.writing.number(), messages.number());
    running_.push_back({.task = task,
                        .child = std::move(child),
                        .output = std::move(pipe.reading),
                        .messages = std::move(messages)});
  }

  void hear(std::size_t index) {
    Process& process = running_[index];
    const std::string piece = read_some(process.output);
    process.text += piece;
    report_lines(process);
    if (!piece.empty()) return;
    const ExitStatus status = process.child.wait();
    const Process over = std::move(process);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
    work_.done(over.task,
               {.status = status, .text = over.text, .messages = text_of(over.messages)});
  }

  void report_lines(Process& process) const {
    for (std::size_t end = 0; (end = process.text.find('\n', process.told)) != std::string::npos;) {
      work_.line(process.task, process.text.substr(process.told, end - process.told));
      process.told = end + 1;
    }
  }

  const Work& work_;
  std::size_t most_;
  SignalScope signals_;
  std::vector<std::size_t> pending_;
  std::vector<Process> running_;
};

/// In a task's process: writes the result to `output`, or the problems of an exception to
/// `messages`.
int run_task(const std::function<std::string()>& task, int output, int messages) {
  try {
    write_all(output, task());
    return status_of(Ending::done);
  } catch (const std::exception& error) {
    const nlohmann::json problems = problems_of(error);
    write_all(messages, problems.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return status_of(error);
  }
}

TaskAnswer answer_of(ProgramAnswer answer) {
  TaskAnswer task = {
      .ending = answer.status.ending(), .text = std::move(answer.text), .problems = {}};
  if (task.ending == Ending::done) return task;
  const auto problems = nlohmann::json::parse(answer.messages, nullptr, false);
  if (problems.is_array()) {
    task.problems = problems.get<std::vector<std::string>>();
  } else {
    task.ending = Ending::killed;
    task.problems = {answer.status.death()};
  }
  return task;
}

}  // namespace

void run_in_processes(std::size_t count,
                      std::size_t parallelism,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, TaskAnswer)>& done,
                      const std::function<Turn(std::size_t)>& turn) {
  const auto start = [&](std::size_t index, int output, int messages) {
    return Child::fork([&] { return run_task([&] { return task(index); }, output, messages); });
  };
  const Work work = {
      .count = count,
      .start = start,
      .turn = turn,
      .line = [](std::size_t, const std::string&) {},
      .done = [&](std::size_t index,
                  ProgramAnswer answer) { done(index, answer_of(std::move(answer))); }};
  Pool(work, parallelism).run();
}

void run_programs(std::size_t count,
                  std::size_t parallelism,
                  const StartProgram& start,
                  const std::function<Turn(std::size_t)>& turn,
                  const std::function<void(std::size_t, const std::string&)>& line,
                  const std::function<void(std::size_t, ProgramAnswer)>& done) {
  const Work work = {.count = count,
                     .start =
                         [&](std::size_t index, int output, int messages) {
                           return start(index, {.out = output, .err = messages});
                         },
                     .turn = turn,
                     .line = line,
                     .done = done};
  Pool(work, parallelism).run();
}

}  // namespace epochcast
