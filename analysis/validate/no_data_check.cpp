// SPDX-License-Identifier: Apache-2.0
// In a build without the real half, which has no readers of data sets.
#include "analysis/validate/data_check.hpp"

namespace epochcast {

void check_data(const JobConfig&, const Dataset&) {}

}  // namespace epochcast
