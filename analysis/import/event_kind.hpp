// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analysis/import/profile.hpp"

namespace epochcast {

/// The kind of an event, by its category and name; absent for ignored ones: annotations of the
/// user, Python functions, copies of CPU annotations on GPUs. `category` and `process` are "" if
/// absent: profiles written without Kineto have no categories.
[[nodiscard]] std::optional<EventKind> kind_of(std::string_view category,
                                               std::string_view name,
                                               std::string_view process);

/// The library of the transfer: "gloo" of "gloo:all_reduce"; "" for other events.
[[nodiscard]] std::string_view backend_of(std::string_view name);

}  // namespace epochcast
