// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <vector>

#include "cli/show/table_look.hpp"
#include "lab/explain/explanation.hpp"

namespace epochcast {

/// A table of the rows, by group.
void show_explanation(std::ostream& out,
                      const std::vector<Explanation>& explanations,
                      const TableLook& look);
/// The same as Markdown, for documents.
void show_explanation_markdown(std::ostream& out, const std::vector<Explanation>& explanations);

}  // namespace epochcast
