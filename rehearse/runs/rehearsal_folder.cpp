// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_folder.hpp"

#include <cstdlib>

#include "core/error.hpp"
#include "core/files/output_file.hpp"

namespace epochcast {

namespace fs = std::filesystem;

fs::path rehearsal_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path root = cache != nullptr && *cache != '\0' ? fs::path(cache)
                  : home != nullptr                  ? fs::path(home) / ".cache"
                                                     : fs::temp_directory_path();
  return root / "epochcast" / "rehearsals";
}

const fs::path& made(const fs::path& folder) {
  check_output_folder(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw RunError(folder.string() + ": " + error.message());
  return folder;
}

RehearsalFiles files_of(const fs::path& folder, const std::string& key) {
  return {.result = folder / (key + ".json"),
          .state = folder / (key + ".state"),
          .log = folder / (key + ".log")};
}

}  // namespace epochcast
