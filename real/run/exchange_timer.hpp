// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/fabric.hpp"
#include "core/job/run_options.hpp"
#include "results/result.hpp"

namespace epochcast::real {

/// Times ring all-reduces, whatever the job's own, among the workers that train: before and after a
/// job, since their speed drifts within minutes. References must outlive it.
class ExchangeTimer {
 public:
  ExchangeTimer(Fabric& fabric, const RunOptions& options);

  /// To be called right before training. Collective over the workers that train; no effect on
  /// others.
  void before() { timed_.before_s = now(); }
  /// To be called right after training.
  void after() { timed_.after_s = now(); }

  /// The times; none if not requested.
  [[nodiscard]] std::optional<TimedExchanges> timed() const;

 private:
  /// Times of all-reduces over two seconds (at least 3, at most 200), each on the slowest member.
  /// Empty if three take more than ten seconds.
  std::vector<double> now();
  /// The same for `count` all-reduces.
  std::vector<double> exchanges(const Communicator& among, std::int64_t count);

  Fabric& fabric_;
  TimedExchanges timed_;
};

}  // namespace epochcast::real
