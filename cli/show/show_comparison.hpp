// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "analysis/compare/comparison.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// A table, the runs of one side only, the differences of inputs, and notes.
void show_comparison(std::ostream& out, const Comparison& comparison, const TableLook& look);
/// A row for each pair, and for each run without a partner; units in the columns' names.
void show_comparison_csv(std::ostream& out, const Comparison& comparison);

}  // namespace epochcast
