// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "real/torch/measure.hpp"
#include "real/torch/network_costs.hpp"

namespace epochcast::real {

/// What a trace says about itself, besides the costs.
struct TraceHeader {
  std::string name;
  std::string title;
  std::string machine;
  std::string date;  ///< "2026-11-21"
  std::string command;
  std::vector<LibraryVersion> versions;
  std::string device;
  std::string note;
};

/// A trace document (`epochcast.trace/1`, docs/formats.md); samples are rounded to 7 significant
/// digits.
[[nodiscard]] nlohmann::ordered_json make_trace(const TraceHeader& header,
                                                std::span<const NetworkCosts> costs);

/// `existing` with the costs of `added`: batch sizes measured again are replaced, others kept;
/// commands and notes are joined, name and title stay. Throws a UserError when the two differ in
/// device, machine or versions: such costs belong into separate traces. `file` is what messages
/// call `existing`.
[[nodiscard]] nlohmann::ordered_json merged_trace(nlohmann::ordered_json existing,
                                                  const nlohmann::ordered_json& added,
                                                  const std::string& file);

/// How the samples were taken, for the trace's `source.note`.
[[nodiscard]] std::string sampling_note(const MeasureSettings& settings,
                                        std::span<const NetworkCosts> costs);

/// The document as text: short objects and lists of numbers on one line, or wrapped.
[[nodiscard]] std::string trace_text(const nlohmann::ordered_json& document);

/// The content of `file`. Throws a RunError when it cannot be read.
[[nodiscard]] std::string file_text(const std::filesystem::path& file);

/// Replaces `file` by one with this text, or leaves it untouched and throws a RunError.
void write_atomically(const std::filesystem::path& file, const std::string& text);

}  // namespace epochcast::real
