// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "real/common/measured_source.hpp"
#include "real/torch/measure.hpp"
#include "real/torch/network_costs.hpp"

namespace epochcast::real {

/// What a trace says about itself, besides the costs.
struct TraceHeader {
  std::string name;
  std::string title;
  MeasuredSource source;
  std::string device;
};

/// A trace document (`epochcast.trace/1`, docs/formats.md); samples are rounded to 7 significant
/// digits.
[[nodiscard]] nlohmann::ordered_json make_trace(const TraceHeader& header,
                                                std::span<const NetworkCosts> costs);

/// `existing` with the costs of `added`, as another session where there are costs of the same
/// network and sample shape; commands and notes are joined, name and title stay. Throws a UserError
/// when the two differ in device, machine or versions: such costs belong into separate traces.
/// `file` is what messages call `existing`.
[[nodiscard]] nlohmann::ordered_json merged_trace(nlohmann::ordered_json existing,
                                                  const nlohmann::ordered_json& added,
                                                  const std::string& file);

/// How the samples were taken, for the trace's `source.note`.
[[nodiscard]] std::string sampling_note(const MeasureSettings& settings,
                                        std::span<const NetworkCosts> costs);

}  // namespace epochcast::real
