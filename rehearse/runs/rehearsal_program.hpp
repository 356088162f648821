// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process/fork_server.hpp"
#include "core/formats/curve_point.hpp"
#include "rehearse/runs/rehearsal_task.hpp"

namespace epochcast {

/// The arguments of the program that rehearses a task, and continues from `state` if that exists.
[[nodiscard]] std::vector<std::string> rehearsal_arguments(const RehearsalTask& task,
                                                           const std::filesystem::path& state);

/// The program epochcast-rehearse, loaded once for each number of threads.
class RehearsalProgram {
 public:
  explicit RehearsalProgram(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Starts a rehearsal with arguments and so many threads of a CPU.
  [[nodiscard]] Child start(const std::vector<std::string>& arguments,
                            int threads,
                            const ChildFiles& files);

 private:
  std::filesystem::path path_;
  std::map<int, ForkServer> loaded_;
};

/// An epoch in the program's output.
struct ReportedEpoch {
  CurvePoint point = {};
  bool is_known = false;  ///< it was in the state that the program continued from
};

/// The epoch in a line of the program's output; none in other lines. Warnings go to `warning`.
/// Throws a UserError about `program` for impossible values.
[[nodiscard]] std::optional<ReportedEpoch> epoch_in(
    const std::string& line,
    const std::filesystem::path& program,
    const std::function<void(const std::string&)>& warning);

/// What the last line of the program's output says of the learning.
struct Learned {
  std::string sequence = {};  ///< RehearsedTime::sequence()
  std::vector<std::string> notes = {};
};
[[nodiscard]] Learned learned_in(const std::string& line);

/// The last line of the program's output, with the whole result.
[[nodiscard]] std::string last_line(const std::string& output);

/// The problems in the program's stderr; empty if it printed none.
[[nodiscard]] std::vector<std::string> problems_in(const std::string& messages);

}  // namespace epochcast
