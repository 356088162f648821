// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace epochcast {

/// Limits of the parts of a document that are held in memory: one element, and the rest outside of
/// elements.
struct JsonStreamLimits {
  std::size_t values = 200'000;              ///< texts, numbers, lists, objects
  std::size_t bytes = std::size_t{4} << 20;  ///< of keys and texts
};

/// Reads a document too large to be held as a whole: calls take(element, path) with each element of
/// the top-level list, or of the lists right below the top-level object, and returns the rest,
/// where these lists are empty. Passes on exceptions of `take`. Throws a UserError, with line and
/// column for invalid JSON, and for an element, or a rest, beyond the limits.
[[nodiscard]] nlohmann::json read_json_stream(
    std::istream& text,
    const std::string& name,
    const std::function<void(const nlohmann::json& element, const std::string& path)>& take,
    const JsonStreamLimits& limits = {});

}  // namespace epochcast
