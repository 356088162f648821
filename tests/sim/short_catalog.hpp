// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/job.hpp"

namespace epochcast::tests {

/// The catalogue with few samples, and traces reduced to this network's costs: a forecast takes a
/// fraction of the time that reading all samples takes.
[[nodiscard]] Catalog short_catalog(const std::string& network);

}  // namespace epochcast::tests
