// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/source.hpp"

namespace epochcast {

/// Measured seconds of batches of one size, in the order they were measured, by one rank in one
/// session.
struct BatchSamples {
  std::int64_t batch = 0;
  std::int64_t session = 0;     ///< later ones were measured later
  std::int64_t rank = 0;        ///< among those that measured at the same time
  std::vector<double> total_s;  ///< load + forward + backward + step
  /// The parts; all empty when the trace does not tell them apart, else as long as total_s.
  std::vector<double> load_s, forward_s, backward_s, step_s;
};

/// Share of the backward pass that one layer takes.
struct LayerShare {
  std::string name;
  double share = 0;
};

/// What one network costs on one device: samples for at least one batch size.
struct CostTrace {
  std::string file;
  std::string device;  ///< a platform's device model
  std::string network;
  std::vector<std::int64_t> input;          ///< shape of a sample
  std::vector<BatchSamples> batches;        ///< ascending batch sizes, then sessions, then ranks
  std::vector<LayerShare> backward_layers;  ///< backward order; empty when not measured
  Source source;
};

/// A trace file: costs of one device.
struct TraceFile {
  std::string name;
  std::string title;
  std::string device;
  Source source;
  std::vector<CostTrace> costs;
};

/// Reads `epochcast.trace/1`. Throws a UserError that lists every problem.
[[nodiscard]] TraceFile parse_trace(const nlohmann::json& document, const std::string& file);
[[nodiscard]] TraceFile load_trace(const std::filesystem::path& file);

}  // namespace epochcast
