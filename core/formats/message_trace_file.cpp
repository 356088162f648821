// SPDX-License-Identifier: Apache-2.0
#include "core/formats/message_trace_file.hpp"

#include <algorithm>

#include "core/json/json_text.hpp"

namespace epochcast::real {
namespace {

using Json = nlohmann::ordered_json;

Json cost_json(const MessageCost& cost) {
  Json json = {{"kind", cost.kind}, {"scope", cost.scope}};
  if (!cost.algorithm.empty()) json["algorithm"] = cost.algorithm;
  json["bytes"] = cost.bytes;
  json["samples_s"] = Json::array();
  for (const double sample_s : cost.samples_s) json["samples_s"].push_back(rounded(sample_s));
  return json;
}

}  // namespace

LibraryVersion mpi_version(const std::string& library_text) {
  const std::string open_mpi = "Open MPI v";
  if (library_text.rfind(open_mpi, 0) == 0) {
    const std::string rest = library_text.substr(open_mpi.size());
    return {.name = "openmpi", .version = rest.substr(0, rest.find_first_of(", \n"))};
  }
  return {.name = "mpi", .version = library_text.substr(0, library_text.find('\n'))};
}

Json message_trace_json(const MessageTrace& trace) {
  const auto& node_of_rank = trace.node_of_rank;
  const auto last = std::max_element(node_of_rank.begin(), node_of_rank.end());
  Json json = {{"schema", "epochcast.message-trace/1"},
               {"name", trace.name},
               {"title", trace.title},
               {"source", source_json(trace.source)},
               {"ranks", node_of_rank.size()},
               {"nodes", last == node_of_rank.end() ? 0 : *last + 1},
               {"node_of_rank", node_of_rank},
               {"costs", Json::array()}};
  for (const MessageCost& cost : trace.costs) json["costs"].push_back(cost_json(cost));
  return json;
}

}  // namespace epochcast::real
