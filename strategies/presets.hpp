// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/job/setting.hpp"

namespace epochcast {

/// The settings by which a job exchanges as a library does by default.
struct Preset {
  std::string_view name;
  std::string_view library;  ///< whose defaults these are, with their source
  std::span<const SettingText> settings = {};
};

[[nodiscard]] std::span<const Preset> presets();

/// --like: sets all settings of a preset. Others that a job gives count more, in any order.
[[nodiscard]] Setting preset_setting();

/// "--like ddp (PyTorch's DistributedDataParallel): --overlap=bucket ...": what the job's preset
/// has set; empty without one.
[[nodiscard]] std::string preset_note(const JobConfig& config);

}  // namespace epochcast
