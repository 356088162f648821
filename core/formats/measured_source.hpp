// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// A library and its version.
struct LibraryVersion {
  std::string name;
  std::string version;
};

/// Where measured figures come from (docs/formats.md, "Sources").
struct MeasuredSource {
  std::string machine;
  std::string date;  ///< "2026-11-21"
  std::string command;
  std::vector<LibraryVersion> versions;
  std::string note;
};

/// The `source` object of a measured file.
[[nodiscard]] nlohmann::ordered_json source_json(const MeasuredSource& source);

}  // namespace epochcast
