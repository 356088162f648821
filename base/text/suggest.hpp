// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// The known name closest to `name`, or "" when none is close enough to be a typing error (edits at
/// most a third of the length, or 1) or the beginning of a known name.
[[nodiscard]] std::string closest_name(std::string_view name,
                                       const std::vector<std::string>& known);

/// `unknown KIND "NAME"; did you mean "CLOSEST"?`, or the list of known names when none is close.
[[nodiscard]] std::string unknown_name(std::string_view kind,
                                       std::string_view name,
                                       const std::vector<std::string>& known);

/// unknown_name() of an option; of more than 20 known ones, the way to their list.
[[nodiscard]] std::string unknown_option(std::string_view name,
                                         const std::vector<std::string>& known);

}  // namespace epochcast
