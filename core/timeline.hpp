// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

/// The activity of an event. Computing, blocked time (waiting for other workers) and omitted
/// iterations of a simulation are sequential; communication runs beside them.
enum class Stream { compute, communication, blocked, omitted };

/// An activity of a worker, in seconds of the job's clock.
struct TimelineEvent {
  int worker = 0;
  Stream stream = Stream::compute;
  std::string name;
  double start_s = 0;
  double end_s = 0;
  double bytes = 0;  ///< of a payload; 0: none
};

/// "compute"
[[nodiscard]] std::string_view to_string(Stream stream);

/// The activities of every worker; written as Chrome trace JSON for Perfetto or chrome://tracing.
class Timeline {
 public:
  void add(TimelineEvent event) {
    if (event.end_s > event.start_s) events_.push_back(std::move(event));
  }
  [[nodiscard]] const std::vector<TimelineEvent>& events() const { return events_; }

  /// One process per worker, with a thread for its communication (more where exchanges overlap) and
  /// one for all else; times in microseconds as the format wants. The category ("cat") is the
  /// stream.
  void write_chrome_trace(std::ostream& out,
                          std::string_view title,
                          std::span<const WorkerInfo> workers) const;

 private:
  std::vector<TimelineEvent> events_;
};

}  // namespace epochcast
