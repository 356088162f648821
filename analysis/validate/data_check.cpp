// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/data_check.hpp"

#include "real/data/training_data.hpp"

namespace epochcast {

void check_data(const JobConfig& config, const Dataset& dataset) {
  static_cast<void>(real::training_data(config, dataset));
}

}  // namespace epochcast
