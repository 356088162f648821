// SPDX-License-Identifier: Apache-2.0
// One worker of a real job. Started by mpirun, which `epochcast train` and `epochcast emulate`
// start.
#include <fmt/core.h>

#include <boost/program_options.hpp>
#include <iostream>
#include <string_view>

#include "base/error.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/suggest.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/run_flags.hpp"
#include "cli/show/forecast_writer.hpp"
#include "core/curve_comparison.hpp"
#include "real/mpi/give_up.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/priority_change.hpp"
#include "real/run/train_job.hpp"
#include "real/torch/memory.hpp"

namespace epochcast {
namespace {

constexpr const char* kProgram = "epochcast";  // the name for users

/// The result of a job's learning, in one or two lines.
std::string learned_text(const CurveSummary& job, bool is_whole) {
  std::string text = fmt::format("test loss {:.4f}", job.test_loss.mean);
  if (job.seeds > 1) text += fmt::format(" ± {:.4f}", job.test_loss.deviation);
  if (job.metric != Metric::loss)
    text += ", test " + std::string(to_string(job.metric)) + " " +
            spread_text(job.metric, job.test, job.seeds == 1);
  text += "; best " + spread_text(job.metric, job.best, job.seeds == 1) +
          fmt::format(" in epoch {:.3g}", job.best_epoch);
  if (job.seeds > 1)
    text += "\n(means ± standard deviations over " + std::to_string(job.seeds) + " seeds)";
  if (!is_whole) text += "\n(of the epochs since the checkpoint; --metrics has all)";
  return text;
}

/// The job with each of the seeds.
std::vector<ForecastTask> tasks_of(const JobConfig& config, int seeds) {
  std::vector<ForecastTask> tasks;
  for (int i = 0; i < seeds; ++i) {
    tasks.push_back({.config = config, .strategy = config.strategy});
    tasks.back().config.seed += static_cast<std::uint64_t>(i);
    if (seeds > 1) tasks.back().point = {{"seed", std::to_string(tasks.back().config.seed)}};
  }
  return tasks;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments[0] != "train" && arguments[0] != "emulate")) {
    throw UserError(
        "expected train or emulate; `epochcast train` starts this program as it should be");
  }
  const bool trains = arguments[0] == "train";
  const std::vector<std::string> flags(arguments.begin() + 1, arguments.end());
  const Command command = trains ? Command::train : Command::emulate;
  const auto values = parse_flags(arguments[0], flags, run_flags(command));
  const JobConfig config = config_from(command, values);
  RunOptions options = run_options_from(values);
  options.inputs = inputs_of(values, config);
  const Catalog catalog = Catalog::standard();
  std::vector<std::string> words = {"epochcast"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<ForecastTask> tasks = tasks_of(config, trains ? seeds_from(values) : 1);
  const auto writer =
      make_forecast_writer(std::cout, format_from(values), shell_text(words), command, tasks);
  bool is_leader = false;
  SeededCurves learned = {.name = config.strategy, .curves = {}};
  bool is_whole = true;  // except epochs before a checkpoint
  if (trains) {
    const int seeds = static_cast<int>(tasks.size());
    for (const ForecastTask& task : tasks) {
      const auto outcome =
          real::train(task.config, catalog, options_of(task.config.seed, seeds, options));
      if (!outcome) continue;
      is_leader = true;
      writer->add({.task = task, .run = outcome->run, .problems = {}});
      is_whole = is_whole && !outcome->curve.empty() && outcome->curve.front().epoch == 1;
      if (!outcome->curve.empty()) learned.curves.push_back(outcome->curve);
    }
  } else if (const auto run = real::emulate(load_job(config, catalog), options)) {
    is_leader = true;
    writer->add({.task = tasks.front(), .run = *run, .problems = {}});
  }
  if (!is_leader) return 0;
  writer->finish();
  if (!learned.curves.empty() && format_from(values) == Format::table)
    std::cout << '\n' << learned_text(summary_of(learned), is_whole) << '\n';
  std::cout.flush();
  return 0;
}

}  // namespace
}  // namespace epochcast

int main(int count, char** arguments) {
  epochcast::real::keep_freed_memory();
  if (count > 1 && std::string_view(arguments[1]) == "train") epochcast::real::leave_sched_rr();
  return epochcast::exit_status(epochcast::kProgram, [&] {
    const epochcast::real::MpiSession session(&count, &arguments);
    try {
      return epochcast::run({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
      epochcast::real::give_up(epochcast::kProgram, session.rank(), error);
    }
  });
}
