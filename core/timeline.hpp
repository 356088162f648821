// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

/// The tracks of one worker.
enum class Stream { compute, communication };

/// Something a worker did, in seconds of the job's clock.
struct TimelineEvent {
  int worker = 0;
  Stream stream = Stream::compute;
  std::string name;
  double start_s = 0;
  double end_s = 0;
};

/// What every worker did and when; written as Chrome trace JSON for Perfetto or chrome://tracing.
class Timeline {
 public:
  void add(TimelineEvent event) {
    if (event.end_s > event.start_s) events_.push_back(std::move(event));
  }
  [[nodiscard]] const std::vector<TimelineEvent>& events() const { return events_; }

  /// One process per worker, one thread per stream; times in microseconds as the format wants.
  void write_chrome_trace(std::ostream& out,
                          std::string_view title,
                          std::span<const WorkerInfo> workers) const;

 private:
  std::vector<TimelineEvent> events_;
};

}  // namespace epochcast
