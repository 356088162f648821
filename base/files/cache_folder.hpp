// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace epochcast {

/// The folder of this program's kept results of a kind ("rehearsals") in XDG_CACHE_HOME or
/// ~/.cache. Throws a UserError when the environment names neither.
[[nodiscard]] std::filesystem::path cache_folder(const std::string& kind);

/// The same folder, created if it is missing. Throws a UserError or RunError when it cannot be.
const std::filesystem::path& made(const std::filesystem::path& folder);

}  // namespace epochcast
