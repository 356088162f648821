// SPDX-License-Identifier: Apache-2.0
#include "core/formats/measured_source.hpp"

namespace epochcast {

nlohmann::ordered_json source_json(const MeasuredSource& source) {
  auto versions = nlohmann::ordered_json::object();
  for (const LibraryVersion& library : source.versions) versions[library.name] = library.version;
  return {{"grade", "measured"},
          {"machine", source.machine},
          {"date", source.date},
          {"command", source.command},
          {"versions", versions},
          {"note", source.note}};
}

}  // namespace epochcast
