// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace epochcast {

/// The document as text: short objects and lists of numbers on one line, or wrapped.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

}  // namespace epochcast
