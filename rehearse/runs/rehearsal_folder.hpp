// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace epochcast {

/// Of the names of learning traces.
inline constexpr const char* kLearningTraceEnding = ".learned";

/// A rehearsal's files in its folder.
struct RehearsalFiles {
  std::filesystem::path result;    ///< its entry
  std::filesystem::path learning;  ///< its learning trace
  std::filesystem::path state;
  std::filesystem::path log;  ///< of a failure without a message
};

/// Those of the rehearsal with that key.
[[nodiscard]] RehearsalFiles files_of(const std::filesystem::path& folder, const std::string& key);

}  // namespace epochcast
