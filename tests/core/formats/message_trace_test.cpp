// SPDX-License-Identifier: Apache-2.0
#include "core/formats/message_trace.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_text.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a message trace reads as documented") {
  const MessageTrace trace = {
      .name = "m",
      .title = "Messages",
      .source = {.grade = Grade::measured,
                 .machine = "Some CPU, 2 cores",
                 .date = "2026-11-21",
                 .command = "mpirun -n 3 measure",
                 .versions = {{"openmpi", "4.1.4"}},
                 .note = "n"},
      .node_of_rank = {0, 0, 1},
      .costs = {
          {.kind = "ping-pong", .scope = "node", .bytes = 4, .samples_s = {1.0 / 3, 0.5}},
          {.kind = "all-reduce", .scope = "all", .algorithm = "ring", .bytes = 8, .samples_s = {2}},
      }};

  CHECK(json_text(to_json(rounded(trace))) == R"({
  "schema": "epochcast.message-trace/1",
  "name": "m",
  "title": "Messages",
  "source": {
    "grade": "measured",
    "machine": "Some CPU, 2 cores",
    "date": "2026-11-21",
    "command": "mpirun -n 3 measure",
    "versions": {"openmpi": "4.1.4"},
    "note": "n"
  },
  "ranks": 3,
  "nodes": 2,
  "node_of_rank": [0, 0, 1],
  "costs": [
    {"kind": "ping-pong", "scope": "node", "bytes": 4, "samples_s": [0.3333333, 0.5]},
    {"kind": "all-reduce", "scope": "all", "algorithm": "ring", "bytes": 8, "samples_s": [2.0]}
  ]
}
)");
}

}  // namespace
}  // namespace epochcast::tests
