// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/formats/cost_trace.hpp"
#include "core/formats/measured_source.hpp"

namespace epochcast {

/// What a trace says about itself, besides the costs.
struct TraceHeader {
  std::string name;
  std::string title;
  MeasuredSource source;
  std::string device;
};

/// A trace document (`epochcast.trace/1`, docs/formats.md); samples are rounded to 7 significant
/// digits. Of `costs` only what they measured counts: the header says the rest.
[[nodiscard]] nlohmann::ordered_json trace_json(const TraceHeader& header,
                                                std::span<const CostTrace> costs);

/// `existing` with the costs of `added`, as another session where there are costs of the same
/// network and sample shape; commands and notes are joined, name and title stay. Throws a UserError
/// when the two differ in device, machine or versions: such costs belong into separate traces.
/// `file` is what messages call `existing`.
[[nodiscard]] nlohmann::ordered_json merged_trace(nlohmann::ordered_json existing,
                                                  const nlohmann::ordered_json& added,
                                                  const std::string& file);

}  // namespace epochcast
