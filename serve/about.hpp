// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/job/job.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// The choices of the page: platforms, networks and data sets of the catalogue, strategies and
/// every setting; `given`: the initial experiment; and how far off forecasts were, from the
/// generated tables of docs/fidelity.md.
[[nodiscard]] nlohmann::ordered_json about(const Catalog& catalog,
                                           const std::vector<SettingText>& given);

}  // namespace epochcast
