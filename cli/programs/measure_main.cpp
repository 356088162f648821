// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <exception>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/json/json_text.hpp"
#include "base/process/ending.hpp"
#include "cli/help/show_help.hpp"
#include "cli/options/measure_flags.hpp"
#include "cli/options/measure_options.hpp"
#include "core/formats/cost_trace.hpp"
#include "core/formats/network.hpp"
#include "core/job/described_model.hpp"
#include "core/job/job.hpp"
#include "real/measure/batches/measure_batches.hpp"
#include "real/measure/batches/rank_costs.hpp"
#include "real/measure/batches/trace_file.hpp"
#include "real/measure/messages/mpi_measure_group.hpp"
#include "real/measure/sampling/progress_lines.hpp"
#include "real/mpi/give_up.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/priority_change.hpp"
#include "real/torch/memory.hpp"

namespace epochcast::real {
namespace {

constexpr const char* kProgram = "epochcast-measure";

/// A trace to write, and the existing one to which it is added, if any.
struct Target {
  DeviceTrace trace;
  OutputFile output;
  std::optional<TraceFile> existing;
};

void warn_of_models(const MeasureOptions& options) {
  for (const std::string& network : options.settings.networks) {
    if (is_model_file(network)) warn_of_loading(network);
  }
}

/// Checked before anything is measured.
std::vector<Target> targets(const MeasureOptions& options) {
  std::vector<Target> all;
  std::vector<OutputFile> outputs;
  for (DeviceTrace& trace : device_traces(options)) {
    std::optional<TraceFile> existing;
    if (options.is_append && std::filesystem::exists(trace.file)) {
      existing = load_trace(trace.file);
      static_cast<void>(merged(*existing, trace.header, trace.file.string()));
    }
    outputs.emplace_back(trace.file);
    all.push_back({std::move(trace), outputs.back(), std::move(existing)});
  }
  keep_apart(outputs, options.inputs);
  return all;
}

void write(Target& target,
           const MeasureSettings& settings,
           const std::vector<NetworkCosts>& costs) {
  target.trace.header.source.note = sampling_note(settings, costs);
  TraceFile trace = make_trace(target.trace.header, costs, settings.precision);
  const std::string file = target.trace.file.string();
  if (target.existing) trace = merged(*target.existing, trace, file);
  target.output.write(json_text(to_json(trace)));
  std::cerr << "wrote " << file << '\n';
}

void set_own_slow_down(MeasureOptions& options, int rank) {
  if (!options.slow_down.empty()) options.settings.slow_down = slow_down_of(options, rank);
}

int run_alone(int argc, const char* const* argv) {
  MeasureOptions options = parse_options(argc, argv, Catalog::standard());
  Target target = targets(options).front();
  warn_of_models(options);
  set_own_slow_down(options, 0);

  ProgressLines lines(std::cerr, isatty(STDERR_FILENO) != 0);
  const std::vector<NetworkCosts> costs =
      measure(options.settings, [&](const MeasureProgress& progress) { lines.show(progress); });

  write(target, options.settings, costs);
  return 0;
}

/// Completes the trace's source with the placement of the ranks. Collective.
void complete_source(Source& source, const MpiSession& session) {
  const std::string machines = gather_different(source.machine, MPI_COMM_WORLD);
  source.machine = machines;
  source.command = "mpirun -n " + std::to_string(session.size()) + " " + source.command;
}

/// Measures at the same time as the other ranks; the first one writes. Only it accesses files:
/// other machines may not have its folders.
void run_together(int argc, const char* const* argv, const MpiSession& session) {
  const bool is_first = session.rank() == 0;
  MeasureOptions options = parse_options(argc, argv, Catalog::standard());
  complete_source(options.header.source, session);
  std::vector<Target> all;
  if (is_first) {
    all = targets(options);
    warn_of_models(options);
  }
  set_own_slow_down(options, session.rank());

  ProgressLines lines(std::cerr, isatty(STDERR_FILENO) != 0);
  MpiMeasureGroup group(MPI_COMM_WORLD);
  const std::vector<NetworkCosts> mine = measure(
      options.settings,
      [&](const MeasureProgress& progress) {
        if (is_first) lines.show(progress);
      },
      group);
  const std::vector<std::string> texts = gather_texts(rank_costs_text(mine), 0, MPI_COMM_WORLD);
  if (!is_first) return;

  for (Target& target : all) {
    std::vector<std::string> own;
    for (const std::size_t rank : target.trace.ranks) own.push_back(texts[rank]);
    write(target, options.settings, joined_costs(own));
  }
}

int run(int argc, char** argv) {
  constexpr CommandInfo kCommand = {
      .name = "measure", .summary = kMeasureSummary, .help = measure_help};
  if (shows_help(argc, argv, kCommand, "batches")) return 0;
  const int ranks = ranks_wanted(argc, argv);
  if (ranks <= 1) return run_alone(argc, argv);
  const MpiSession session(&argc, &argv);
  if (ranks != session.size()) {
    if (session.rank() == 0) {
      std::cerr << kProgram << ": --ranks: got " << ranks << "; mpirun started " << session.size()
                << "; `epochcast measure batches` starts this number of ranks itself\n";
    }
    return status_of(Ending::bad_input);
  }
  try {
    run_together(argc, argv, session);
    return 0;
  } catch (const std::exception& error) {
    give_up(kProgram, session.rank(), error);
  }
}

}  // namespace
}  // namespace epochcast::real

int main(int argc, char** argv) {
  epochcast::real::keep_freed_memory();  // as in training
  epochcast::real::leave_sched_rr();
  return epochcast::exit_status(epochcast::real::kProgram,
                                [&] { return epochcast::real::run(argc, argv); });
}
