// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The part of checkpoints that the launcher reads: their manifests.

namespace epochcast {

/// The epoch in which the folder's checkpoint stands, from 1; absent without one.
[[nodiscard]] std::optional<std::int64_t> epoch_in(const std::string& folder);

/// The manifests of checkpoints, to find those that a run has changed; empty where there is none.
[[nodiscard]] std::vector<std::string> manifests(const std::vector<std::string>& folders);

/// The checkpoints with which an interrupted job can continue, in a sentence.
[[nodiscard]] std::string kept_text(const std::vector<std::string>& folders);

}  // namespace epochcast
