// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "rehearse/runs/rehearsal_task.hpp"

namespace epochcast {

/// The command that rehearses a task with `program`, and goes on from `state` where there is one.
[[nodiscard]] std::vector<std::string> rehearsal_words(const RehearsalTask& task,
                                                       const std::filesystem::path& program,
                                                       const std::filesystem::path& state);

/// The epoch that a line of the program's output tells of; nothing when it tells something else.
/// Warnings go to `warning`. Throws a UserError about `program` when no epoch can be like that.
[[nodiscard]] std::optional<CurvePoint> epoch_in(
    const std::string& line,
    const std::filesystem::path& program,
    const std::function<void(const std::string&)>& warning);

/// The last line of the program's output: it says everything.
[[nodiscard]] std::string last_line(const std::string& output);

/// Why the program has failed, in what it wrote to stderr; nothing when it could not say.
[[nodiscard]] std::vector<std::string> problems_in(const std::string& said);

}  // namespace epochcast
