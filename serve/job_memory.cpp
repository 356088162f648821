// SPDX-License-Identifier: Apache-2.0
#include "serve/job_memory.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

void add_file(std::string& state, const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const auto time = fs::last_write_time(file, error);
  if (error) return;
  state += file.string() + " " + std::to_string(size) + " " +
           std::to_string(time.time_since_epoch().count()) + "\n";
}

void add_folder(std::string& state, const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) add_file(state, entry.path());
  }
}

}  // namespace

JobMemory::JobMemory(const Catalog& catalog, const std::vector<SettingText>& given)
    : catalog_(catalog),
      given_(given),
      state_(state()),
      jobs_([this](const JobConfig& config) { return load_job(config, catalog_); }) {}

SharedJobs& JobMemory::jobs() {
  const std::string now = state();
  if (now != state_) {
    state_ = now;
    jobs_ = SharedJobs([this](const JobConfig& config) { return load_job(config, catalog_); });
  }
  return jobs_;
}

std::string JobMemory::text_of(const JobConfig& config) {
  nlohmann::json texts = nlohmann::json::object();
  for (const SettingText& setting : setting_texts(config)) texts[setting.name] = setting.value;
  return texts.dump();
}

void JobMemory::learn(const std::string& told) {
  if (told.empty()) return;
  JobConfig config;
  const nlohmann::json texts = nlohmann::json::parse(told);
  try {
    for (const auto& [name, value] : texts.items()) set_setting(config, name, value, name);
    jobs().read(config);
  } catch (const RunError&) {
    // Whoever asks reads again, and says so.
  }
}

std::string JobMemory::state() const {
  std::string state;
  std::vector<fs::path> folders = catalog_.own();
  folders.push_back(catalog_.root());
  for (const fs::path& folder : folders) {
    for (const char* part : {"models", "traces"}) add_folder(state, folder / part);
  }
  for (const SettingText& setting : given_) add_file(state, setting.value);
  return state;
}

}  // namespace epochcast
