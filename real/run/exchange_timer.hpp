// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/result.hpp"
#include "core/job/job_config.hpp"
#include "core/job/run_options.hpp"

namespace epochcast::real {

/// Times all-reduces among the workers that train, before and after a job that keeps nothing of
/// them: networks, and machines that move their messages, change their speed by the minute.
/// References must outlive it.
class ExchangeTimer {
 public:
  ExchangeTimer(Fabric& fabric, const JobConfig& config, const RunOptions& options);

  /// Right before training. Collective over the workers that train; nothing on others.
  void before() { timed_.before_s = now(); }
  /// Right after it, likewise.
  void after() { timed_.after_s = now(); }

  /// What was timed; nothing where that is not asked for.
  [[nodiscard]] std::optional<TimedExchanges> timed() const;

 private:
  /// Of two seconds of them (at least three, at most 200), what each took the slowest member. None
  /// where three take more than ten seconds: what takes so long is the links' matter.
  std::vector<double> now();
  /// The same for so many of them.
  std::vector<double> exchanges(const Communicator& among, std::int64_t count);

  Fabric& fabric_;
  TimedExchanges timed_;
};

}  // namespace epochcast::real
