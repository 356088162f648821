// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

namespace epochcast {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

nlohmann::ordered_json metadata(const char* what, int worker, int thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", worker}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string_view to_string(Stream stream) {
  switch (stream) {
    case Stream::compute:
      return "compute";
    case Stream::communication:
      return "communication";
    case Stream::blocked:
      return "blocked";
    case Stream::omitted:
      break;
  }
  return "omitted";
}

void Timeline::write_chrome_trace(std::ostream& out,
                                  std::string_view title,
                                  std::span<const WorkerInfo> workers) const {
  out << R"({"displayTimeUnit":"ms","otherData":{"title":)" << nlohmann::json(title).dump()
      << "},\"traceEvents\":[";
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const int pid = static_cast<int>(rank);
    const WorkerInfo& worker = workers[rank];
    const std::string name = "worker " + std::to_string(rank) + " (" + worker.model + ", node " +
                             std::to_string(worker.node) + ")";
    out << (rank == 0 ? "\n" : ",\n") << metadata("process_name", pid, 0, name).dump() << ",\n"
        << metadata("thread_name", pid, 0, "compute").dump() << ",\n"
        << metadata("thread_name", pid, 1, "communication").dump();
  }
  for (const TimelineEvent& event : events_) {
    nlohmann::ordered_json line = {{"ph", "X"},
                                   {"name", event.name},
                                   {"cat", to_string(event.stream)},
                                   {"pid", event.worker},
                                   {"tid", event.stream == Stream::communication ? 1 : 0},
                                   {"ts", event.start_s * kMicrosecondsPerSecond},
                                   {"dur", (event.end_s - event.start_s) * kMicrosecondsPerSecond}};
    if (event.bytes > 0) line["args"] = {{"bytes", event.bytes}};
    out << ",\n" << line.dump();
  }
  out << "\n]}\n";
}

}  // namespace epochcast
