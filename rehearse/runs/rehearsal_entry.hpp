// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/formats/curve_point.hpp"
#include "rehearse/runs/rehearsal_task.hpp"
#include "results/result.hpp"

namespace epochcast {

/// The kept result of a rehearsal: `epochcast.rehearsal-entry/1`, a sealed file.
struct RehearsalEntry {
  std::optional<RunResult> run = {};  ///< of all epochs in the curve; absent when it diverged
  Curve curve = {};                   ///< up to its end, or the last good epoch
  std::optional<std::string> diverged = {};  ///< the reason why it stopped
};

/// Parses the last line of epochcast-rehearse. Throws a UserError about `file`, where it is to be
/// kept, if the line is invalid.
[[nodiscard]] RehearsalEntry entry_from_line(const std::filesystem::path& file,
                                             const std::string& line);

/// The members of its file.
[[nodiscard]] nlohmann::ordered_json to_json(const RehearsalEntry& entry);

/// Makes the entry the outcome of a task.
void take(RehearsalOutcome& outcome, RehearsalEntry entry);

/// Creates or replaces the file. Throws a RunError when it cannot be written.
void write_entry(const std::filesystem::path& file, const RehearsalEntry& entry);
/// The entry in `file`; none if there is no file. Throws a DamagedFile if it was changed, and a
/// UserError for impossible values.
[[nodiscard]] std::optional<RehearsalEntry> read_entry(const std::filesystem::path& file);

}  // namespace epochcast
