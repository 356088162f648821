// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <exception>
#include <iostream>

#include "core/cost_trace.hpp"
#include "core/error.hpp"
#include "real/common/json_text.hpp"
#include "real/common/progress_lines.hpp"
#include "real/common/text_file.hpp"
#include "real/mpi/give_up.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_measure_crew.hpp"
#include "real/torch/measure.hpp"
#include "real/torch/measure_options.hpp"
#include "real/torch/memory.hpp"
#include "real/torch/rank_costs.hpp"
#include "real/torch/trace_file.hpp"

namespace epochcast::real {
namespace {

constexpr const char* kProgram = "epochcast-measure";

/// The trace to add to, or nothing when there is none yet. Checked before anything is measured.
nlohmann::ordered_json existing_trace(const MeasureOptions& options) {
  if (!options.is_append || !std::filesystem::exists(options.file)) return nullptr;
  const std::string name = options.file.string();
  static_cast<void>(load_trace(options.file));
  auto existing = nlohmann::ordered_json::parse(file_text(options.file));
  static_cast<void>(merged_trace(existing, make_trace(options.header, {}), name));
  return existing;
}

void write(const MeasureOptions& options,
           const nlohmann::ordered_json& existing,
           const std::vector<NetworkCosts>& costs) {
  nlohmann::ordered_json trace = make_trace(options.header, costs);
  if (!existing.is_null()) trace = merged_trace(existing, trace, options.file.string());
  write_atomically(options.file, json_text(trace));
  std::cerr << "wrote " << options.file.string() << '\n';
}

int run_alone(int argc, const char* const* argv) {
  MeasureOptions options = parse_options(argc, argv, EPOCHCAST_SOURCE_DIR);
  if (options.is_help) {
    std::cout << help_text();
    return 0;
  }
  const nlohmann::ordered_json existing = existing_trace(options);

  ProgressLines lines(std::cerr, isatty(STDERR_FILENO) != 0);
  const std::vector<NetworkCosts> costs =
      measure(options.settings, [&](const MeasureProgress& progress) { lines.show(progress); });

  options.header.source.note = sampling_note(options.settings, costs);
  write(options, existing, costs);
  return 0;
}

/// What a trace of all ranks says of where they ran. Collective.
void complete_source(MeasuredSource& source, const MpiSession& session) {
  const std::string machines = gather_different(source.machine, MPI_COMM_WORLD);
  source.machine = machines;
  source.command = "mpirun -n " + std::to_string(session.size()) + " " + source.command;
}

/// Measures at the same time as the other ranks; the first one writes. Files are looked at there
/// alone: other machines may not have its folders.
void run_together(int argc, const char* const* argv, const MpiSession& session) {
  const bool is_first = session.rank() == 0;
  MeasureOptions options = parse_options(
      argc, argv, EPOCHCAST_SOURCE_DIR, is_first ? FileCheck::folder : FileCheck::none);
  if (options.is_help) {
    if (is_first) std::cout << help_text() << std::flush;
    return;
  }
  complete_source(options.header.source, session);
  nlohmann::ordered_json existing;
  if (is_first) existing = existing_trace(options);

  ProgressLines lines(std::cerr, isatty(STDERR_FILENO) != 0);
  MpiMeasureCrew crew(MPI_COMM_WORLD);
  const std::vector<NetworkCosts> mine = measure(
      options.settings,
      [&](const MeasureProgress& progress) {
        if (is_first) lines.show(progress);
      },
      crew);
  const std::vector<std::string> texts = gather_texts(rank_costs_text(mine), 0, MPI_COMM_WORLD);
  if (!is_first) return;

  const std::vector<NetworkCosts> costs = joined_costs(texts);
  options.header.source.note = sampling_note(options.settings, costs);
  write(options, existing, costs);
}

int run(int argc, char** argv) {
  const int ranks = ranks_wanted(argc, argv);
  if (ranks <= 1) return run_alone(argc, argv);
  const MpiSession session(&argc, &argv);
  if (ranks != session.size()) {
    if (session.rank() == 0) {
      std::cerr << kProgram << ": --ranks: got " << ranks << "; mpirun started " << session.size()
                << "; `epochcast measure batches` starts as many as it is told\n";
    }
    return 2;
  }
  try {
    run_together(argc, argv, session);
    return 0;
  } catch (const UserError& error) {
    give_up(kProgram, session.rank(), error.problems(), 2);
  } catch (const std::exception& error) {
    give_up(kProgram, session.rank(), {error.what()}, 1);
  }
}

}  // namespace
}  // namespace epochcast::real

int main(int argc, char** argv) {
  epochcast::real::keep_freed_memory();  // as in training
  try {
    return epochcast::real::run(argc, argv);
  } catch (const epochcast::UserError& error) {
    for (const std::string& problem : error.problems())
      std::cerr << "epochcast-measure: " << problem << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "epochcast-measure: " << error.what() << '\n';
    return 1;
  }
}
