// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "analysis/validate/ablation.hpp"

namespace epochcast {

/// A table of the mechanisms, and what it says.
void show_ablation(std::ostream& out, const Ablation& ablation);
/// The same as Markdown, for documents.
void show_ablation_markdown(std::ostream& out, const Ablation& ablation);

}  // namespace epochcast
