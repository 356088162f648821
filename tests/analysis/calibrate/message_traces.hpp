// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/message_trace.hpp"

namespace epochcast::tests {

/// Messages among four nodes with a rank each: the times of one alone, and of a ring step, by
/// bytes.
inline MessageTrace message_trace_of(double (*alone)(double), double (*busy)(double)) {
  MessageTrace trace;
  trace.file = "t.json";
  trace.source = {.grade = Grade::estimated, .method = "made up"};
  trace.name = "t";
  trace.title = "t";
  trace.node_of_rank = {0, 1, 2, 3};
  for (double bytes = 4; bytes <= 1 << 26; bytes *= 4) {
    const auto size = static_cast<std::int64_t>(bytes);
    trace.costs.push_back(
        {.kind = "ping-pong", .scope = "between", .bytes = size, .samples_s = {alone(bytes)}});
    trace.costs.push_back(
        {.kind = "ring-step", .scope = "all", .bytes = size, .samples_s = {busy(bytes)}});
  }
  trace.costs.push_back({.kind = "reduce", .scope = "all", .bytes = 4000, .samples_s = {1e-6}});
  return trace;
}

}  // namespace epochcast::tests
