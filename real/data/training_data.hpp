// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job_config.hpp"
#include "real/data/data_source.hpp"

namespace epochcast::real {

/// The training and test data of the configuration. Throws a UserError when it names none, or when
/// there are fewer samples than requested.
[[nodiscard]] DataSplit training_data(const JobConfig& config, const Dataset& dataset);

}  // namespace epochcast::real
