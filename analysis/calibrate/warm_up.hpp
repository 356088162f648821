// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace epochcast {

/// The warm-up of a series of samples, and whether the rest is steady.
struct WarmUp {
  std::size_t samples = 0;  ///< to be left out, from the first
  bool is_steady = true;    ///< false: the level changes after them, too
};

/// The warm-up of samples in the order measured.
///
/// The change point of a series is where the ranks before and after differ most, in standard
/// deviations of the rank sum (Mann and Whitney), if that is more than 3.75 (Hawkins and Deng, "A
/// nonparametric change-point control chart", J. Quality Technology 42, 2010): less than one steady
/// series in a hundred has one. The samples before it are warm-up if they are in the first half and
/// their level does not return, i.e. their median is outside the 5-95 % range of those after it.
/// The rest is examined in the same way, until it is steady or has a change of another kind: that
/// is drift, which also occurs in training. MSER-5 (White 1997), made for thousands of samples,
/// cuts steady series of some dozens nearly anywhere.
[[nodiscard]] WarmUp warm_up_of(std::span<const double> samples);

}  // namespace epochcast
