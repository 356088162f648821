// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// Where `models/FOLDER` lies in the source tree.
[[nodiscard]] std::filesystem::path models_folder(const std::string& folder);

/// The whole text of a file; empty if it cannot be read.
[[nodiscard]] std::string file_text(const std::filesystem::path& path);

/// All `*.json` files of a folder, sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

/// The number before the unit of a quantity such as "4096flop" or "3072B"; throws where the unit is
/// another.
[[nodiscard]] std::int64_t quantity(const nlohmann::json& json, const std::string& unit);

using Shape = std::vector<std::int64_t>;

/// The variant of models/networks/NETWORK.json for these samples; throws where there is none.
[[nodiscard]] nlohmann::json read_variant(const std::string& network, const Shape& input);

/// The parameters of all layers of a variant whose name starts with `prefix`.
[[nodiscard]] std::int64_t parameters(const nlohmann::json& variant,
                                      std::int64_t classes,
                                      const std::string& prefix = "");

}  // namespace epochcast
