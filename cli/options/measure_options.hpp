// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/options/option_values.hpp"
#include "core/job/job.hpp"
#include "real/measure/batches/measure_batches.hpp"
#include "real/measure/batches/trace_file.hpp"

namespace epochcast {

/// The options of the command line.
struct MeasureOptions {
  real::MeasureSettings settings;
  TraceFile header;                           ///< without costs, and their note
  int ranks = 1;                              ///< number of processes that measure at the same time
  std::map<std::string, double> slow_down;    ///< by device class, model or rank
  std::filesystem::path file;                 ///< output of the trace
  std::vector<std::filesystem::path> inputs;  ///< inputs, which must not be overwritten
  bool is_append = false;                     ///< add a session to `file`, if it exists
};

/// Reads the command line, the data set's file and the machine's name. Throws a UserError with
/// every problem.
[[nodiscard]] MeasureOptions parse_options(int argc,
                                           const char* const* argv,
                                           const Catalog& catalog);

/// The factor by which batches are slowed down on a rank.
[[nodiscard]] double slow_down_of(const MeasureOptions& options, int rank);

/// The trace of one device: of the ranks with the same slowdown.
struct DeviceTrace {
  TraceFile header;
  std::filesystem::path file;
  std::vector<std::size_t> ranks;
};
/// A trace for each device: the device's own in the requested file, slowed ones next to it:
/// "t-slowed-3x.json" for "t.json".
[[nodiscard]] std::vector<DeviceTrace> device_traces(const MeasureOptions& options);

/// The value of --ranks, before the rest is parsed and MPI has removed its own words; 1 without it,
/// 0 for invalid numbers.
[[nodiscard]] int ranks_wanted(int argc, const char* const* argv);

}  // namespace epochcast
