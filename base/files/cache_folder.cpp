// SPDX-License-Identifier: Apache-2.0
#include "base/files/cache_folder.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "base/files/output_file.hpp"

namespace epochcast {

namespace fs = std::filesystem;

fs::path cache_folder(const std::string& kind) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const auto is_given = [](const char* path) { return path != nullptr && *path != '\0'; };
  // A folder of a known name in /tmp could belong to another user, or be a link.
  if (!is_given(cache) && !is_given(home))
    throw UserError("no place for kept " + kind +
                    ": neither XDG_CACHE_HOME nor HOME is set; set one, or give --folder");
  return (is_given(cache) ? fs::path(cache) : fs::path(home) / ".cache") / "epochcast" / kind;
}

const fs::path& made(const fs::path& folder) {
  check_output_folder(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw RunError(folder.string() + ": " + error.message());
  return folder;
}

}  // namespace epochcast
