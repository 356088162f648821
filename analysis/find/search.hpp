// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace epochcast {

/// What a search asks of the values at indices from 0.
struct SearchQuestions {
  std::size_t size = 0;
  /// Finds out about several values at once; the answers to the other two are known then.
  std::function<void(const std::vector<std::size_t>& indices)> look;
  /// Whether the value at an index that was looked at meets what is asked for.
  std::function<bool(std::size_t index)> holds;
  /// What decides it, where it is a number: absent where there is none.
  std::function<std::vector<std::optional<double>>(std::size_t index)> figures;
};

/// The first index that holds, as far as was looked.
struct SearchAnswer {
  std::optional<std::size_t> first;
  bool is_monotone = true;  ///< it holds from there on, and figures only rise or only fall
  std::size_t looked = 0;   ///< at how many values by itself; 0: all of them
};

/// The first index at which the condition holds.
///
/// Up to 33 values are all looked at. Of more, nine of those that are possible - that have every
/// figure - evenly spread: where the condition holds from one of them on, and figures rise or fall
/// all the way, bisection finds the first one between. Where they do not, or where none of the nine
/// meets several conditions, up to 129 values are looked at, evenly spread, and bisection looks
/// between the first of these that holds and the one before it: what holds between two others that
/// do not is overlooked, and `is_monotone` says so.
[[nodiscard]] SearchAnswer first_that_holds(const SearchQuestions& questions);

}  // namespace epochcast
