// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/formats/curve_point.hpp"
#include "core/formats/result.hpp"

namespace epochcast {

/// What is kept of a rehearsal that has ended: `epochcast.rehearsal-entry/1`, a sealed file.
struct RehearsalEntry {
  std::optional<RunResult> run = {};  ///< of all epochs in the curve; absent when it diverged
  Curve curve = {};                   ///< up to its end, or the last good epoch
  std::optional<std::string> diverged = {};  ///< why it cannot go on
};

/// What the last line of epochcast-rehearse says. Throws a UserError about `file`, where that is to
/// be kept, when it is none or cannot be.
[[nodiscard]] RehearsalEntry entry_from_line(const std::filesystem::path& file,
                                             const std::string& line);

/// Makes or replaces the file. Throws a RunError when it cannot be written.
void write_entry(const std::filesystem::path& file, const RehearsalEntry& entry);
/// The entry in `file`; nothing when there is no file. Throws a DamagedFile when it is not what was
/// written, and a UserError when something in it cannot be.
[[nodiscard]] std::optional<RehearsalEntry> read_entry(const std::filesystem::path& file);

}  // namespace epochcast
