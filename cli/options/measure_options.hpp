// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/options/option_values.hpp"
#include "core/job/job.hpp"
#include "real/measure/measure_batches.hpp"
#include "real/measure/trace_file.hpp"

namespace epochcast {

/// What the command line asks for.
struct MeasureOptions {
  real::MeasureSettings settings;
  TraceFile header;                           ///< without costs, and the note that depends on them
  int ranks = 1;                              ///< how many processes measure at the same time
  std::map<std::string, double> slow_down;    ///< by device class, model or rank
  std::filesystem::path file;                 ///< where the trace goes
  std::vector<std::filesystem::path> inputs;  ///< what is read, and must not be written
  bool is_append = false;                     ///< add a session to `file`, where it exists
};

/// Reads the command line, the data set's file and the machine's name. Throws a UserError with
/// every problem.
[[nodiscard]] MeasureOptions parse_options(int argc,
                                           const char* const* argv,
                                           const Catalog& catalog);

/// How many times as long batches are to take on a rank.
[[nodiscard]] double slow_down_of(const MeasureOptions& options, int rank);

/// The trace of one device: of the ranks that are slowed alike.
struct DeviceTrace {
  TraceFile header;
  std::filesystem::path file;
  std::vector<std::size_t> ranks;
};
/// A trace for each device: the device's own in the file asked for, slowed ones beside it:
/// "t-slowed-3x.json" for "t.json".
[[nodiscard]] std::vector<DeviceTrace> device_traces(const MeasureOptions& options);

/// What --ranks says, before the rest is read and MPI has taken out its own words; 1 when it says
/// nothing, 0 when that is no number.
[[nodiscard]] int ranks_wanted(int argc, const char* const* argv);

}  // namespace epochcast
