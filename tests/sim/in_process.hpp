// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/process/process_pool.hpp"

namespace epochcast::tests {

using Task = std::function<nlohmann::json()>;

/// What every task returns, each run in a forked process of its own: a SimGrid engine exists once
/// per process. Doubles survive bit for bit.
///
/// Rethrows a task's UserError; any other end without an answer is a std::runtime_error. Assertions
/// belong into the calling process.
inline std::vector<nlohmann::json> in_processes(const std::vector<Task>& tasks) {
  const auto answer = [&](std::size_t index) {
    nlohmann::json json;
    try {
      json["value"] = tasks[index]();
    } catch (const UserError& error) {
      json["problems"] = error.problems();
    } catch (const std::exception& error) {
      json["failure"] = error.what();
    }
    return json.dump();
  };
  std::vector<TaskAnswer> answers(tasks.size());
  const auto done = [&](std::size_t index, TaskAnswer got) { answers[index] = std::move(got); };
  run_in_processes(tasks.size(), 2, answer, done);

  std::vector<nlohmann::json> values;
  for (const TaskAnswer& got : answers) {
    if (!got.death.empty()) throw std::runtime_error("a simulating process was " + got.death);
    const auto json = nlohmann::json::parse(got.text);
    if (json.contains("problems")) {
      throw UserError(json["problems"].get<std::vector<std::string>>());
    }
    if (json.contains("failure")) throw std::runtime_error(json["failure"].get<std::string>());
    values.push_back(json["value"]);
  }
  return values;
}

inline nlohmann::json in_process(const Task& task) { return in_processes({task}).front(); }

}  // namespace epochcast::tests
