// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/formats/precision.hpp"
#include "core/source.hpp"

namespace epochcast {

/// Measured seconds of batches of one size, in the order they were measured, by one rank in one
/// session.
struct BatchSamples {
  std::int64_t batch = 0;
  std::int64_t session = 0;     ///< ascending in time
  std::int64_t rank = 0;        ///< among those that measured at the same time
  std::vector<double> total_s;  ///< load + forward + backward + step
  /// The parts; all empty when the trace has only totals, else as long as total_s.
  std::vector<double> load_s, forward_s, backward_s, step_s;

  bool operator==(const BatchSamples&) const = default;
};

/// Times of batches and all-reduces on a rank, measured alone and at the same time, in several
/// repetitions. Index i of all lists is the mean of repetition i.
struct OverlapSamples {
  std::int64_t batch = 0;
  std::int64_t session = 0;
  std::int64_t rank = 0;
  std::string all_reduce;  ///< its algorithm, among the ranks that measured
  double bytes = 0;        ///< of each all-reduce
  std::vector<double> batch_alone_s = {};
  std::vector<double> batch_s = {};  ///< with all-reduces beside them
  std::vector<double> exchange_alone_s = {};
  std::vector<double> exchange_s = {};  ///< with batches beside them

  bool operator==(const OverlapSamples&) const = default;
};

/// Measured work of a kernel of a compression (KernelObserver) on a device.
struct KernelSamples {
  std::string compression;           ///< "topk", ...
  std::string kernel;                ///< "compress", ...
  double moved_bytes = 0;            ///< that it reads and writes, as it tells its observer
  std::vector<double> seconds = {};  ///< of each exchange, on all ranks that measured

  bool operator==(const KernelSamples&) const = default;
};

/// Share of the backward pass that one layer takes.
struct LayerShare {
  std::string name;
  double share = 0;

  bool operator==(const LayerShare&) const = default;
};

/// Batch costs of one network on one device: samples for at least one batch size.
struct CostTrace {
  std::string file;
  std::string device;  ///< a platform's device model
  std::string network;
  std::vector<std::int64_t> input;           ///< shape of a sample
  Precision precision = Precision::float32;  ///< that its batches were computed in
  std::vector<BatchSamples> batches;         ///< ascending batch sizes, then sessions, then ranks
  /// Backward order; empty when not measured. The shares sum to 1 as far as their digits go.
  std::vector<LayerShare> backward_layers;
  std::vector<OverlapSamples> overlap;  ///< empty when not measured
  std::vector<KernelSamples> kernels;   ///< of those compressions that were measured
  Source source;                        ///< its own, or the trace file's
  std::string error_note = {};          ///< of an estimate: its error, as text; else empty
  double error_factor = 1;              ///< of an estimate: that nine of ten were off by at most

  bool operator==(const CostTrace&) const = default;
};

/// A trace file: costs of one device.
struct TraceFile {
  std::string name;
  std::string title;
  std::string device;
  Source source;
  std::vector<CostTrace> costs;

  bool operator==(const TraceFile&) const = default;
};

/// Reads `epochcast.trace/1`. Throws a UserError that lists every problem.
[[nodiscard]] TraceFile parse_trace(const nlohmann::json& document, const std::string& file);
[[nodiscard]] TraceFile load_trace(const std::filesystem::path& file);

/// The document `epochcast.trace/1`. Of `costs`, only samples and their own source are written; the
/// trace has the rest.
[[nodiscard]] nlohmann::ordered_json to_json(const TraceFile& trace);

/// The cost with samples and shares to 7 significant digits, as clocks give them.
[[nodiscard]] CostTrace rounded(CostTrace cost);

/// `existing` with the costs of `added`, as another session where there are costs of the same
/// network and sample shape; commands and notes are joined, name and title stay. Throws a UserError
/// when the two differ in device, machine or versions: such costs belong into separate traces.
/// `file`: the name of `existing` in messages.
[[nodiscard]] TraceFile merged(TraceFile existing, const TraceFile& added, const std::string& file);

}  // namespace epochcast
