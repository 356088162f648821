// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/curves/learning_log.hpp"

namespace epochcast {

/// Whether a file's bytes begin as TensorBoard's event files do.
[[nodiscard]] bool is_event_file(std::string_view bytes);

/// The scalars of an event file: a record for each, with its tag and "step". The end of a file that
/// is still being written is ignored. Throws a UserError for damaged records.
[[nodiscard]] std::vector<LogRecord> read_event_file(std::string_view bytes,
                                                     const std::string& file);

}  // namespace epochcast
