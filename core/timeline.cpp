// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <string>

namespace epochcast {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;
/// Events that follow each other may overlap by this much.
constexpr double kRounding_s = 1e-9;

nlohmann::ordered_json metadata(const char* what, int worker, int thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", worker}, {"tid", thread}, {"args", {{"name", name}}}};
}

/// The thread of each event: 0 for all but communication, whose events have a thread each while
/// they overlap. Viewers nest the events of a thread.
std::vector<int> threads_of(const std::vector<TimelineEvent>& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return events[index].start_s; });
  std::vector<int> threads(events.size(), 0);
  std::map<int, std::vector<double>> ends_s;  // of each thread's last event, by worker
  for (const std::size_t index : order) {
    const TimelineEvent& event = events[index];
    if (event.stream != Stream::communication) continue;
    std::vector<double>& ends = ends_s[event.worker];
    auto free = std::ranges::find_if(
        ends, [&](double end_s) { return end_s <= event.start_s + kRounding_s; });
    if (free == ends.end()) free = ends.insert(ends.end(), 0);
    *free = event.end_s;
    threads[index] = static_cast<int>(free - ends.begin()) + 1;
  }
  return threads;
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
  const std::vector<int> threads = threads_of(events_);
  std::map<int, int> most;  // threads for communication, by worker
  for (std::size_t i = 0; i < events_.size(); ++i) {
    int& of_worker = most[events_[i].worker];
    of_worker = std::max(of_worker, threads[i]);
  }
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const int pid = static_cast<int>(rank);
    const WorkerInfo& worker = workers[rank];
    const std::string name = "worker " + std::to_string(rank) + " (" + worker.model + ", node " +
                             std::to_string(worker.node) + ")";
    out << (rank == 0 ? "\n" : ",\n") << metadata("process_name", pid, 0, name).dump() << ",\n"
        << metadata("thread_name", pid, 0, "compute").dump() << ",\n"
        << metadata("thread_name", pid, 1, "communication").dump();
    for (int thread = 2; thread <= most[pid]; ++thread)
      out << ",\n"
          << metadata("thread_name", pid, thread, "communication " + std::to_string(thread)).dump();
  }
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const TimelineEvent& event = events_[i];
    nlohmann::ordered_json line = {{"ph", "X"},
                                   {"name", event.name},
                                   {"cat", to_string(event.stream)},
                                   {"pid", event.worker},
                                   {"tid", threads[i]},
                                   {"ts", event.start_s * kMicrosecondsPerSecond},
                                   {"dur", (event.end_s - event.start_s) * kMicrosecondsPerSecond}};
    if (event.bytes > 0) line["args"] = {{"bytes", event.bytes}};
    out << ",\n" << line.dump();
  }
  out << "\n]}\n";
}

}  // namespace epochcast
