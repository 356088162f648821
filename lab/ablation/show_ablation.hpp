// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "cli/show/table_look.hpp"
#include "lab/ablation/ablation.hpp"

namespace epochcast {

/// A table of the mechanisms, and a summary.
void show_ablation(std::ostream& out, const Ablation& ablation, const TableLook& look);
/// The same as Markdown, for documents.
void show_ablation_markdown(std::ostream& out, const Ablation& ablation);

}  // namespace epochcast
