// SPDX-License-Identifier: Apache-2.0
#include "tests/models/model_files.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace epochcast {

std::filesystem::path models_folder(const std::string& folder) {
  return std::filesystem::path(EPOCHCAST_SOURCE_DIR) / "models" / folder;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::int64_t quantity(const nlohmann::json& json, const std::string& unit) {
  const auto text = json.get<std::string>();
  std::size_t digits = 0;
  const std::int64_t value = std::stoll(text, &digits);
  if (text.substr(digits) != unit) throw std::runtime_error(text + " is not in " + unit);
  return value;
}

}  // namespace epochcast
