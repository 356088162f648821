// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace epochcast {

/// The functions by which a search evaluates the values at indices from 0.
struct SearchQuestions {
  std::size_t size = 0;
  /// Evaluates several values at once, before the other two functions are called for them.
  std::function<void(const std::vector<std::size_t>& indices)> look;
  /// Whether the value at an evaluated index meets the request.
  std::function<bool(std::size_t index)> holds;
  /// The figures of the conditions at an evaluated index: absent if there is no number.
  std::function<std::vector<std::optional<double>>(std::size_t index)> figures;
};

/// The first index that holds, among the evaluated ones.
struct SearchAnswer {
  std::optional<std::size_t> first;
  bool is_monotone = true;  ///< it holds from there on, and figures are monotone
  std::size_t looked = 0;   ///< number of values evaluated individually; 0: all of them
};

/// The first index at which the condition holds.
///
/// Up to 33 values are all evaluated. Of more, nine possible ones - with all figures - evenly
/// spread: if the condition holds from one of them on, and figures are monotone, bisection finds
/// the first one between. Otherwise, or if none of the nine meets several conditions, up to 129
/// values are evaluated, evenly spread, with bisection between the first one that holds and the one
/// before it. Solutions between two values that fail are then overlooked, and `is_monotone` is
/// false.
[[nodiscard]] SearchAnswer first_that_holds(const SearchQuestions& questions);

}  // namespace epochcast
