// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/network.hpp"
#include "core/job/job_config.hpp"

namespace epochcast {

/// Throws a UserError when the data that the configuration trains on is missing, damaged, of
/// another data set, or too little. A build without the real half trains nothing, and looks at
/// nothing.
void check_data(const JobConfig& config, const Dataset& dataset);

}  // namespace epochcast
