// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast::sim {

/// Watches sequences of Fabric::deal() that are alike, one after the other, and decides how many
/// numbers of each can be omitted.
///
/// Workers that need not keep step have no iteration that repeats. The mean time between two
/// numbers is estimated by the method of batch means (Law and Kelton, Simulation Modeling and
/// Analysis, section 9.5): after a start that is not counted, successive numbers are divided into
/// batches that are long enough to be nearly independent. A batch ends between numbers of different
/// times, so that those of one update stay together. As long as the 95 % confidence interval
/// of the mean is wider than ±kMeanTolerance, the batches are doubled in length; once each worker
/// has had kPatience numbers, ±kWidestTolerance suffices. Batches of earlier sequences count, too:
/// from the one on in which the mean is known, each sequence runs as many numbers as the shortest
/// batches have, which show how its workers spend their time.
class DealWatch {
 public:
  /// Numbers per worker that are not counted at the start, and kept at the end.
  static constexpr std::int64_t kEnds = 4;

  static constexpr std::int64_t kPatience = 128;
  static constexpr double kWidestTolerance = 0.05;

  /// `workers` ask for `count` numbers.
  DealWatch(int workers, std::int64_t count);

  /// Numbers at the beginning that are not counted: the workers begin together.
  [[nodiscard]] std::int64_t uncounted() const { return start_; }
  /// Reports that number `index` is dealt at `now_s`; indices follow each other, and 0 begins a
  /// sequence. Returns how many numbers after it can be omitted: at most once in a sequence more
  /// than 0, and only if it `may_omit`.
  [[nodiscard]] std::int64_t dealt(std::int64_t index, double now_s, bool may_omit = true);
  /// Seconds between two numbers, once some can be omitted.
  [[nodiscard]] double mean_s() const { return mean_s_; }
  /// Half of its 95 % confidence interval, relative to it.
  [[nodiscard]] double half_width() const { return half_width_; }

 private:
  struct Batch {
    double seconds = 0;
    std::int64_t numbers = 0;
  };
  void end_batch(std::int64_t index, double now_s);
  /// Sets half_width(); returns whether it suffices.
  [[nodiscard]] bool is_known(std::int64_t index);

  std::int64_t start_;
  std::int64_t end_;     ///< the numbers from here on are dealt: the workers end one by one
  std::int64_t least_;   ///< numbers that are run between start and end
  std::int64_t length_;  ///< numbers in a batch, at least
  std::int64_t begin_;   ///< of the current batch
  double began_s_ = 0;
  double last_s_ = 0;  ///< when the last number was dealt
  double mean_s_ = 0;  ///< 0: not known yet
  double half_width_ = 0;
  std::int64_t patience_;  ///< numbers of all workers
  bool has_omitted_ = false;
  std::vector<Batch> batches_;
};

}  // namespace epochcast::sim
