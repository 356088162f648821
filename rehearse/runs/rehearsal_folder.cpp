// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_folder.hpp"

namespace epochcast {

namespace fs = std::filesystem;

RehearsalFiles files_of(const fs::path& folder, const std::string& key) {
  return {.result = folder / (key + ".json"),
          .learning = folder / (key + kLearningTraceEnding),
          .state = folder / (key + ".state"),
          .log = folder / (key + ".log")};
}

}  // namespace epochcast
