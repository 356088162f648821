// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "analysis/import/profile.hpp"

namespace epochcast::tests {

/// An event of a profile, in microseconds.
struct TestEvent {
  std::string category;
  std::string name;
  double start_us = 0;
  double length_us = 0;
  int thread = 1;
  nlohmann::json args = nlohmann::json::object();
};

/// The text of a profile of these events.
inline std::string profile_text(const std::vector<TestEvent>& events,
                                nlohmann::json header = nlohmann::json::object()) {
  header["traceEvents"] = nlohmann::json::array();
  for (const TestEvent& event : events) {
    header["traceEvents"].push_back({{"ph", "X"},
                                     {"cat", event.category},
                                     {"name", event.name},
                                     {"pid", 1},
                                     {"tid", event.thread},
                                     {"ts", event.start_us},
                                     {"dur", event.length_us},
                                     {"args", event.args}});
  }
  return header.dump();
}

inline Profile profile_in(const std::string& text) {
  std::istringstream stream(text);
  return parse_profile(stream, "p.json");
}

inline Profile profile_of(const std::vector<TestEvent>& events,
                          const nlohmann::json& header = nlohmann::json::object()) {
  return profile_in(profile_text(events, header));
}

inline TestEvent iteration(int number, double start_us, double length_us) {
  return {"user_annotation", "ProfilerStep#" + std::to_string(number), start_us, length_us};
}

}  // namespace epochcast::tests
