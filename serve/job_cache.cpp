// SPDX-License-Identifier: Apache-2.0
#include "serve/job_cache.hpp"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// Of the catalogue, whose folders may hold other files.
constexpr std::array kParts = {
    "models", "models/platforms", "models/networks", "models/datasets", "models/devices", "traces"};

void add_file(std::string& state, const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const auto time = fs::last_write_time(file, error);
  if (error) return;
  state += file.string() + " " + std::to_string(size) + " " +
           std::to_string(time.time_since_epoch().count()) + "\n";
}

/// The files of a folder that belong to the catalogue; none if it cannot be read.
void add_folder(std::string& state, const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (at->path().extension() == ".json") add_file(state, at->path());
  }
}

}  // namespace

JobCache::JobCache(const Catalog& catalog, const std::vector<SettingText>& given)
    : catalog_(catalog),
      given_(given),
      state_(state()),
      jobs_([this](const JobConfig& config) { return load_job(config, catalog_); }) {}

SharedJobs& JobCache::jobs() {
  const std::string now = state();
  if (now != state_) {
    state_ = now;
    jobs_ = SharedJobs([this](const JobConfig& config) { return load_job(config, catalog_); });
  }
  return jobs_;
}

std::string JobCache::text_of(const JobConfig& config) {
  nlohmann::json texts = nlohmann::json::object();
  for (const SettingText& setting : all_settings().texts(config))
    texts[setting.name] = setting.value;
  return texts.dump();
}

void JobCache::preload(const std::string& message) {
  if (message.empty()) return;
  try {
    JobConfig config;
    const nlohmann::json texts = nlohmann::json::parse(message);
    for (const auto& [name, value] : texts.items()) all_settings().set(config, name, value, name);
    jobs().read(config);
  } catch (const std::exception&) {
    // The next request reads again, and reports the error.
  }
}

std::string JobCache::state() const {
  std::string state;
  std::vector<fs::path> folders = catalog_.own();
  folders.push_back(catalog_.root());
  for (const fs::path& folder : folders) {
    for (const char* part : kParts) add_folder(state, folder / part);
  }
  for (const SettingText& setting : given_) add_file(state, setting.value);
  return state;
}

}  // namespace epochcast
