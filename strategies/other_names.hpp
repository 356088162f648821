// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// The advice for a strategy or library that has another name here, or is not available:
/// "DistributedDataParallel is --strategy sync --overlap bucket ...". Ignores case; "_" equals "-".
/// Empty for other names.
[[nodiscard]] std::string answer_to_other_name(std::string_view name);

/// The names with an advice, without different spellings of our own names.
[[nodiscard]] std::vector<std::string> other_names();

/// The same for a setting: "torchft's sync_every is --local-steps". Ignores dashes before it.
[[nodiscard]] std::string answer_to_other_setting(std::string_view name);

}  // namespace epochcast
