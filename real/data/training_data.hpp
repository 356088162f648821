// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job_config.hpp"
#include "real/data/data_source.hpp"

namespace epochcast::real {

/// What the configuration trains and tests on. Throws a UserError when it does not say, or when
/// there is less than it asks for.
[[nodiscard]] DataSplit training_data(const JobConfig& config, const Dataset& dataset);

}  // namespace epochcast::real
