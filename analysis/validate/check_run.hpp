// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/json_input.hpp"

namespace epochcast {

/// Reports what in `run` is not as to_json(RunResult) writes it. What passes, run_from_json reads.
void check_run(JsonInput run);

}  // namespace epochcast
