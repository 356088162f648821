// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

// Free of LibTorch headers.

namespace epochcast::real {

/// A completed piece of work. Each batch part has pieces of the same numbers: the forward pass,
/// each bucket's part of the backward pass, the end of that pass, the step.
struct Piece {
  std::string_view what = {};
  std::int64_t samples = 0;  ///< that went through the network together
  std::size_t begin = 0;     ///< its number,
  std::size_t end = 1;       ///< and that after it: several may be done as one
  double real_s = 0;         ///< its measured time
  bool is_example = false;   ///< an example of the time at full speed
};

/// Additional seconds of a piece beyond its measured time.
using Pace = std::function<double(const Piece&)>;

/// Emulates a device that is slower than this one. A piece lasts `factor` times its time in
/// successive batches at full speed, which examples show; not `factor` times its measured time,
/// since a core computes slowly for a while after a sleep, and a slow device would not sleep.
class SlowDevice {
 public:
  /// `factor` of 1: no slowdown.
  explicit SlowDevice(double factor) : factor_(factor) {}

  /// A Pace. The time of a piece is the median of its examples, linear between and beyond sizes
  /// with examples, and proportional to the samples with one size. Excess time of a piece is taken
  /// off the next pieces, at most their whole time. Work without samples has no examples and takes
  /// `factor` times its time.
  double operator()(const Piece& piece);

 private:
  using Pieces = std::vector<double>;  ///< seconds, by number

  void learn(const Piece& piece);
  /// Seconds of the piece at full speed. Throws a std::logic_error if it has no example.
  [[nodiscard]] double at_full_speed(const Piece& piece);
  void take_medians();

  double factor_;
  std::map<std::int64_t, std::vector<std::vector<double>>> examples_;  ///< by samples and number
  std::map<std::int64_t, Pieces> medians_;  ///< empty: to be computed again
  double behind_s_ = 0;
};

}  // namespace epochcast::real
