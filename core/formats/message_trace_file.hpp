// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/formats/measured_source.hpp"
#include "core/formats/message_trace.hpp"

namespace epochcast::real {

/// Message costs of a job's machines.
struct MessageTrace {
  std::string name;
  std::string title;
  MeasuredSource source;
  std::vector<int> node_of_rank;
  std::vector<MessageCost> costs = {};
};

/// Name and version from what MPI_Get_library_version says: "openmpi" and "4.1.4", or "mpi" and the
/// whole first line of another library's text.
[[nodiscard]] LibraryVersion mpi_version(const std::string& library_text);

/// The document `epochcast.message-trace/1` (docs/formats.md); samples are rounded to 7 significant
/// digits.
[[nodiscard]] nlohmann::ordered_json message_trace_json(const MessageTrace& trace);

}  // namespace epochcast::real
