// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// A table for each group, with its ranking and failures, and the summary.
void show_validation(std::ostream& out,
                     const std::vector<ValidationRow>& rows,
                     const TableLook& look);
/// The same as Markdown, for documents.
void show_validation_markdown(std::ostream& out, const std::vector<ValidationRow>& rows);
/// `epochcast.validation/1`, see to_json.
void show_validation_json(std::ostream& out,
                          const std::vector<ValidationRow>& rows,
                          const std::string& command,
                          const std::string& date);

}  // namespace epochcast
