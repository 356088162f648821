// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/choose/choice.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// A table of all options in their order, the answer, and where the curves come from, on standard
/// output.
void show_choice(const std::vector<ChoiceOption>& options,
                 const Choice& choice,
                 const LearningTarget& target,
                 ChoiceGoal goal,
                 const TableLook& look);
/// A line for each option.
void show_choice_csv(const std::vector<ChoiceOption>& options, const Choice& choice);

}  // namespace epochcast
