// SPDX-License-Identifier: Apache-2.0
#include "strategies/learning.hpp"

#include "strategies/strategy.hpp"

namespace epochcast {

std::string why_not_ranked(const RunResult& run) {
  if (is_ranked(run)) return {};
  std::string text = run.rounds_per_epoch == 0 ? "not ranked: averages only after the last epoch"
                                               : "not ranked: averages all workers once an epoch";
  const std::string_view rehearsed = find_strategy(run.strategy).rehearsed;
  if (!rehearsed.empty()) text += "; rehearsed: " + std::string(rehearsed);
  return text;
}

}  // namespace epochcast
