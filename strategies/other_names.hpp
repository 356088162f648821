// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// What to ask for in place of a strategy or library that users know by another name, or that is
/// not available: "DistributedDataParallel is --strategy sync --overlap bucket ...". Capitals and
/// "_" do not matter. Empty for names that nobody uses.
[[nodiscard]] std::string answer_to_other_name(std::string_view name);

/// The names that have an answer, but for our own in other letters.
[[nodiscard]] std::vector<std::string> other_names();

}  // namespace epochcast
