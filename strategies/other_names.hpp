// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace epochcast {

/// What to ask for in place of a strategy or library that users know by another name, or that is
/// not available: "sync with --overlap bucket ...". Empty for names that nobody uses.
[[nodiscard]] std::string answer_to_other_name(std::string_view name);

}  // namespace epochcast
