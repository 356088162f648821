// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/job/device_precision.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"
#include "strategies/costed_job.hpp"

namespace epochcast {

/// The settings that a rehearsal's numbers depend on, beyond what its workers' sequences say.
[[nodiscard]] std::vector<SettingText> learning_settings(const JobConfig& config);

/// The precision in which a rehearsal's numbers are computed. With float16, workers that update
/// parts of the parameters agree on skipped steps by an exchange, which a job without numbers does
/// not have: they are computed in float32.
[[nodiscard]] DevicePrecision precision_of_numbers(const CostedJob& job);

}  // namespace epochcast
