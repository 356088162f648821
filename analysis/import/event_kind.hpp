// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analysis/import/profile.hpp"

namespace epochcast {

/// What an event is, by its category and name; nothing for one that does not count: annotations of
/// the user, Python functions, shadows of CPU annotations on GPUs. `category` and `process` are ""
/// where there is none: profiles written without Kineto have no categories.
[[nodiscard]] std::optional<EventKind> kind_of(std::string_view category,
                                               std::string_view name,
                                               std::string_view process);

/// The library that moves the data: "gloo" of "gloo:all_reduce"; "" when `name` is no such event.
[[nodiscard]] std::string_view backend_of(std::string_view name);

}  // namespace epochcast
