// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

// Free of LibTorch headers, so that who trains need not wait for them.

namespace epochcast::real {

/// A piece of work that is over. What goes through the network together has pieces of the same
/// numbers each time: the forward pass, each bucket's part of the backward pass, what ends that
/// pass, the step.
struct Piece {
  std::string_view what = {};
  std::int64_t samples = 0;  ///< that went through the network together
  std::size_t begin = 0;     ///< its number,
  std::size_t end = 1;       ///< and that after it: several may be done as one
  double real_s = 0;         ///< that it has just taken
  bool is_example = false;   ///< of what such a piece takes at full speed
};

/// Seconds that a piece takes beyond those that it has just taken.
using Pace = std::function<double(const Piece&)>;

/// A device that is slower than the one it is emulated on. A piece lasts `factor` times what it
/// takes where batches follow each other at full speed, which examples show; not `factor` times
/// what it has just taken, since a core that has slept computes slowly for a while, and a device
/// that really is slow does not sleep.
class SlowDevice {
 public:
  /// `factor` of 1: as fast as the core is, at any moment.
  explicit SlowDevice(double factor) : factor_(factor) {}

  /// A Pace. What a piece takes is the median of its examples; between sizes that were shown
  /// linearly interpolated, beyond them continued, in proportion to the samples where one size
  /// was. What took longer than it should is made up for by the next pieces, as much of it as they
  /// take at most. Work without samples has no examples and takes `factor` times its time.
  double operator()(const Piece& piece);

 private:
  using Pieces = std::vector<double>;  ///< seconds, by number

  void learn(const Piece& piece);
  /// Seconds of the piece at full speed. Throws a std::logic_error where it has no example.
  [[nodiscard]] double at_full_speed(const Piece& piece);
  void take_medians();

  double factor_;
  std::map<std::int64_t, std::vector<std::vector<double>>> examples_;  ///< by samples and number
  std::map<std::int64_t, Pieces> medians_;                             ///< empty: to be taken again
  double behind_s_ = 0;
};

}  // namespace epochcast::real
