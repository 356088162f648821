// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// What a job learns, on every cluster on which its workers do the same:
/// `epochcast.learning-trace/1`, a sealed file.
struct LearningTrace {
  std::vector<SettingText> settings = {};    ///< learning_settings()
  std::string platform = {};                 ///< where it was learned; times of `curve` are of it
  Curve curve = {};                          ///< up to its end, or the last good epoch
  std::vector<std::string> notes = {};       ///< on data and numbers
  std::optional<std::string> diverged = {};  ///< the reason why it stopped
};

/// Creates or replaces the file. Throws a RunError when it cannot be written.
void write_learning_trace(const std::filesystem::path& file, const LearningTrace& trace);
/// The trace in `file`; none if there is no file. Throws a DamagedFile if it was changed, and a
/// UserError for impossible values.
[[nodiscard]] std::optional<LearningTrace> read_learning_trace(const std::filesystem::path& file);
/// The same; one that cannot be read is none: who learns in its place warns of it.
[[nodiscard]] std::optional<LearningTrace> readable_trace(const std::filesystem::path& file);

}  // namespace epochcast
