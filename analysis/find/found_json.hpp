// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/find/find.hpp"

namespace epochcast {

/// What simulates the value that was found; empty where there is none.
[[nodiscard]] std::string command_of(const FoundValue& answer);

/// Strategies that "A faster than B" compares with, and whether these overlap: "sync without
/// overlap". Empty where no condition compares.
[[nodiscard]] std::string compared_with(const std::vector<FoundValue>& answers);

/// What the answers hold for; without answers, what the closest values hold for (held_for() of
/// runs).
[[nodiscard]] std::string held_for(const std::vector<FoundValue>& answers);

/// The document `epochcast.found/1`. `command`: what the user typed.
[[nodiscard]] nlohmann::ordered_json to_json(const FindRequest& request,
                                             const std::vector<FoundValue>& answers,
                                             const std::string& command);

}  // namespace epochcast
