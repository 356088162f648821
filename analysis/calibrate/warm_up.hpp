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
/// A series changes where the ranks of what is before and what is behind differ most, in standard
/// deviations of the rank sum (Mann and Whitney), if that is more than 3.75 (Hawkins and Deng, "A
/// nonparametric change-point control chart", J. Quality Technology 42, 2010): less than one steady
/// series in a hundred has such a place. What is before it is warm-up if it does not come back, its
/// median being outside the 5-95 % range of what is behind, and if it is in the first half. The
/// rest is looked at in the same way, until it is steady or changes otherwise: that is drift, which
/// costs as training does. MSER-5 (White 1997), made for thousands of samples, cuts steady series
/// of some dozens nearly anywhere.
[[nodiscard]] WarmUp warm_up_of(std::span<const double> samples);

}  // namespace epochcast
