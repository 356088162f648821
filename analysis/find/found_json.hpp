// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/find/find.hpp"

namespace epochcast {

/// The command that simulates the value found; empty without one.
[[nodiscard]] std::string command_of(const FoundValue& answer);

/// The reference strategies of "A faster than B", with their overlap: "sync without overlap". Empty
/// if no condition compares.
[[nodiscard]] std::string compared_with(const std::vector<FoundValue>& answers);

/// The settings under which the answers hold; without answers, those of the closest values
/// (held_for() of runs).
[[nodiscard]] std::string held_for(const std::vector<FoundValue>& answers);

/// The document `epochcast.found/1`. `command`: the command line.
[[nodiscard]] nlohmann::ordered_json to_json(const FindRequest& request,
                                             const std::vector<FoundValue>& answers,
                                             const std::string& command);

}  // namespace epochcast
