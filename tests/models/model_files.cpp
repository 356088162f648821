// SPDX-License-Identifier: Apache-2.0
#include "tests/models/model_files.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace epochcast {
namespace {

std::int64_t tensor_elements(const nlohmann::json& tensor, std::int64_t classes) {
  std::int64_t elements = 1;
  for (const nlohmann::json& extent : tensor[1]) {
    elements *= extent == "classes" ? classes : extent.get<std::int64_t>();
  }
  return elements;
}

}  // namespace

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

nlohmann::json read_variant(const std::string& network, const Shape& input) {
  const auto file =
      nlohmann::json::parse(file_text(models_folder("networks") / (network + ".json")));
  for (const nlohmann::json& variant : file["variants"]) {
    if (variant["input"] == nlohmann::json(input)) return variant;
  }
  throw std::runtime_error(network + " has no variant for this input");
}

std::int64_t parameters(const nlohmann::json& variant,
                        std::int64_t classes,
                        const std::string& prefix) {
  std::int64_t count = 0;
  for (const nlohmann::json& layer : variant["layers"]) {
    if (layer["name"].get<std::string>().rfind(prefix, 0) != 0) continue;
    for (const nlohmann::json& tensor : layer["tensors"]) count += tensor_elements(tensor, classes);
  }
  return count;
}

}  // namespace epochcast
