// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/kept_checkpoints.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files/text_file.hpp"

namespace epochcast {
namespace {

std::string manifest_in(const std::string& folder) {
  const std::filesystem::path manifest = std::filesystem::path(folder) / "checkpoint.json";
  std::error_code unreadable;
  return std::filesystem::exists(manifest, unreadable) ? read_text_file(manifest) : "";
}

}  // namespace

std::optional<std::int64_t> epoch_in(const std::string& folder) {
  const auto json = nlohmann::json::parse(manifest_in(folder), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("epoch") || !json["epoch"].is_number_integer())
    return std::nullopt;
  return json["epoch"].get<std::int64_t>();
}

std::vector<std::string> manifests(const std::vector<std::string>& folders) {
  std::vector<std::string> texts(folders.size());
  std::transform(folders.begin(), folders.end(), texts.begin(), manifest_in);
  return texts;
}

std::string kept_text(const std::vector<std::string>& folders) {
  if (folders.empty()) return "nothing was kept: there was no --checkpoint";
  const auto begun = std::find_if(folders.rbegin(), folders.rend(), [](const std::string& folder) {
    return !manifest_in(folder).empty();
  });
  const std::string& folder = begun == folders.rend() ? folders.front() : *begun;
  const std::optional<std::int64_t> epoch = epoch_in(folder);
  if (!epoch) return "there is no checkpoint yet in " + folder;
  return "the checkpoint in " + folder + " is of epoch " + std::to_string(*epoch) +
         "; --resume continues from there";
}

}  // namespace epochcast
