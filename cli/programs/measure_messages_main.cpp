// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <exception>
#include <functional>
#include <iostream>
#include <sstream>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/json/json_text.hpp"
#include "base/machine.hpp"
#include "base/process/ending.hpp"
#include "base/text/plain_text.hpp"
#include "cli/help/show_help.hpp"
#include "cli/options/measure_flags.hpp"
#include "cli/options/message_options.hpp"
#include "core/source.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {
namespace {

constexpr const char* kProgram = "epochcast-measure-messages";

/// The problems that `check` finds on rank 0, as lines on every rank; "" without problems. Only
/// rank 0 accesses files: other machines may not have its folders.
std::string problems_of(const MpiSession& session, const std::function<void()>& check) {
  std::string lines;
  if (session.rank() == 0) {
    try {
      check();
    } catch (const UserError& error) {
      for (const std::string& problem : error.problems())
        lines += std::string(kProgram) + ": " + problem + "\n";
    }
  }
  return broadcast_text(lines, 0, MPI_COMM_WORLD);
}

std::string note_of(const SamplingRule& rule, const std::vector<int>& node_of_rank) {
  std::ostringstream note;
  const auto name_pair = [&](bool same_node, const char* where) {
    const auto pair = find_pair(node_of_rank, same_node);
    if (pair) note << where << " ranks " << pair->first << " and " << pair->second << ", ";
  };
  note << "ping-pong, and opposite between nodes: ";
  name_pair(true, "inside a node");
  name_pair(false, "between nodes");
  note << "ping-pong as half a round trip; pairs and hubs of nodes: their first ranks; all others: "
          "the slowest rank's seconds after a barrier; "
       << rule.warmup
       << " samples of warm-up per point, then until the 95 % confidence interval of the median "
          "was within "
       << 100 * rule.confidence_width << " % (at least " << rule.min_samples
       << " samples, of sizes that take long 1 and 3; at most " << rule.max_samples << ", or "
       << rule.max_s << " s)";
  return note.str();
}

int run(int argc, char** argv) {
  constexpr CommandInfo kCommand = {
      .name = "measure", .summary = kMeasureSummary, .help = measure_help};
  if (shows_help(argc, argv, kCommand, "messages")) return 0;
  const MpiSession session(&argc, &argv);
  const bool is_first = session.rank() == 0;
  OutputFile output;
  const std::string problems = problems_of(session, [&] {
    const MessageOptions asked = parse_message_options(argc, argv);
    if (session.size() < 2)
      throw UserError("got 1 rank; expected 2 or more: start it with mpirun -n 2 " +
                      command_text(argc, argv));
    output = OutputFile(asked.file);
  });
  if (!problems.empty()) {
    if (is_first) std::cerr << problems;
    return status_of(Ending::bad_input);
  }
  const MessageOptions options = parse_message_options(argc, argv);

  const std::string machines = gather_different(machine_text(), MPI_COMM_WORLD);
  MessageTrace trace = {.name = as_name(options.file.stem().string()),
                        .title = options.title,
                        .source = {.grade = Grade::measured,
                                   .machine = options.machine.empty() ? machines : options.machine,
                                   .date = today_text(),
                                   .command = command_text(argc, argv)},
                        .node_of_rank = node_of_each_rank(options.ranks_per_node),
                        .costs = {}};
  ProgressLines lines(std::cerr, isatty(STDERR_FILENO) != 0);
  trace.costs = probe_messages(options.settings,
                               trace.node_of_rank,
                               [&](const MeasureProgress& progress) { lines.show(progress); });
  if (!is_first) return 0;

  trace.source.command = "mpirun -n " + std::to_string(session.size()) + " " + trace.source.command;
  trace.source.versions = {mpi_version(mpi_library_text())};
  trace.source.note = note_of(options.settings.rule, trace.node_of_rank);
  if (trace.title.empty()) trace.title = "Messages among " + trace.source.machine;
  output.write(json_text(to_json(rounded(std::move(trace)))));
  std::cerr << "wrote " << options.file.string() << '\n';
  return 0;
}

}  // namespace
}  // namespace epochcast::real

int main(int argc, char** argv) {
  return epochcast::exit_status(epochcast::real::kProgram,
                                [&] { return epochcast::real::run(argc, argv); });
}
