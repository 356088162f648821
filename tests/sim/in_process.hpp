// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/process_pool.hpp"

namespace epochcast::tests {

using Task = std::function<nlohmann::json()>;

/// The results of every task, each run in a forked process of its own, since a SimGrid engine
/// exists once per process. Doubles keep all bits.
///
/// Rethrows a task's UserError; any other end without a result is a std::runtime_error. Assertions
/// must be in the calling process.
inline std::vector<nlohmann::json> in_processes(const std::vector<Task>& tasks) {
  std::vector<TaskAnswer> answers(tasks.size());
  run_in_processes(
      tasks.size(),
      2,
      [&](std::size_t index) { return tasks[index]().dump(); },
      [&](std::size_t index, TaskAnswer got) { answers[index] = std::move(got); });

  std::vector<nlohmann::json> values;
  for (const TaskAnswer& got : answers) {
    if (got.ending == Ending::bad_input) throw UserError(got.problems);
    if (got.ending != Ending::done) throw std::runtime_error(got.problems.front());
    values.push_back(nlohmann::json::parse(got.text));
  }
  return values;
}

inline nlohmann::json in_process(const Task& task) { return in_processes({task}).front(); }

}  // namespace epochcast::tests
