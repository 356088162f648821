// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>

#include "analysis/forecast/sweep.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/forecast_writer.hpp"
#include "cli/show/show_pytorch.hpp"
#include "core/error.hpp"
#include "core/job/job_config.hpp"
#include "core/progress_bar.hpp"
#include "core/shell_text.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

po::options_description simulate_options() {
  po::options_description options;
  options.add_options()(
      "sweep",
      po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
      "forecast every value of a setting; several sweeps multiply (use ; between values that "
      "contain commas)")(
      "timeline",
      po::value<std::string>()->value_name("FILE"),
      "write what every worker does as Chrome trace JSON (one strategy, no sweep)")(
      "chakra",
      po::value<std::string>()->value_name("FOLDER"),
      "write what every worker does as Chakra execution traces for ASTRA-sim, one file per worker "
      "with every iteration of every epoch (one strategy, no sweep; mind --epochs)");
  return options;
}

/// Where --timeline and --chakra say, tried.
RecordFiles records_from(const po::variables_map& values, const std::vector<ForecastTask>& tasks) {
  for (const std::string flag : {"timeline", "chakra"}) {
    if (file_from(values, flag).empty() || tasks.size() == 1) continue;
    throw UserError("--" + flag + ": " + std::to_string(tasks.size()) +
                    " runs were asked for; expected one --strategy and no --sweep");
  }
  RecordFiles records = {.timeline = output_from(values, "timeline"),
                         .chakra = file_from(values, "chakra")};
  if (records.timeline.is_wanted())
    keep_apart({records.timeline}, inputs_of(values, tasks.front().config));
  if (!records.chakra.empty()) check_output_folder(records.chakra);
  return records;
}

/// What could not be forecast, of all outcomes.
class Failures {
 public:
  void add(const ForecastOutcome& outcome) {
    has_run_ = has_run_ || outcome.run.has_value();
    has_died_ = has_died_ || outcome.has_died;
    if (outcome.run) return;
    was_named_ = was_named_ || outcome.task.config.strategy != "all";
    for (const std::string& problem : outcome.problems) {
      if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
        problems_.push_back(problem);
    }
  }

  /// Throws when nothing was forecast. That a strategy does not apply is an error unless all were
  /// asked for.
  void check() const {
    if (has_died_) throw RunError(problems_.front());
    if (!problems_.empty() && (!has_run_ || was_named_)) throw UserError(problems_);
  }

 private:
  std::vector<std::string> problems_;  ///< each once
  bool has_run_ = false;
  bool has_died_ = false;
  bool was_named_ = false;
};

/// Among all strategies, sync stands twice: as the papers have it, and with buckets of gradients
/// that leave while backward goes on, which is what users have in practice (PyTorch's
/// DistributedDataParallel).
std::vector<ForecastTask> with_overlapped_sync(const std::vector<ForecastTask>& tasks) {
  std::vector<ForecastTask> more;
  for (const ForecastTask& task : tasks) {
    more.push_back(task);
    const JobConfig& config = task.config;
    if (config.strategy != "all" || task.strategy != "sync" || config.overlap != Overlap::none)
      continue;
    more.push_back(task);
    more.back().config.overlap = Overlap::bucket;
  }
  return more;
}

std::string pytorch_text_of(const ForecastOutcome& outcome) {
  JobConfig config = outcome.task.config;
  config.strategy = outcome.task.strategy;
  const std::string& point = outcome.task.point;
  return "# " + config.strategy + (point.empty() ? "" : ": " + point) + "\n" +
         pytorch_text(config, outcome.run->workers / std::max(1, outcome.run->nodes));
}

}  // namespace

int run_simulate(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::simulate))
      .add(common_options().add(simulate_options()))
      .add(show_option());
  const po::variables_map values = parse_flags("simulate", arguments, options);
  if (values.count("help") > 0) {
    std::cout << "epochcast simulate: forecast epoch times with SimGrid\n\n"
              << options
              << "\nExample: epochcast simulate --platform deep-est-esb --nodes 12 --network "
                 "resnet50 --dataset cifar10\n";
    return 0;
  }
  const Format format = format_from(values);
  std::vector<SweepAxis> axes;
  if (values.count("sweep") > 0) {
    for (const std::string& text : values["sweep"].as<std::vector<std::string>>())
      axes.push_back(parse_axis(text));
  }
  const JobConfig config = config_from(Command::simulate, values);
  const std::vector<ForecastTask> tasks = with_overlapped_sync(expand(config, axes));
  const RecordFiles records = records_from(values, tasks);
  std::vector<std::string> command = {"epochcast", "simulate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto writer =
      make_forecast_writer(std::cout, format, shell_text(command), Command::simulate);
  const bool shows_code = shows_pytorch(values);
  std::vector<std::string> code;
  Failures failures;
  {
    ProgressBar progress(
        std::cerr, isatty(STDERR_FILENO) != 0, "forecasting", static_cast<double>(tasks.size()));
    forecast_each(
        tasks,
        Catalog::standard(),
        records,
        [&](std::size_t done) { progress.update(static_cast<double>(done)); },
        [&](const ForecastOutcome& outcome) {
          if (isatty(STDOUT_FILENO) != 0) progress.wipe();
          writer->add(outcome);
          failures.add(outcome);
          if (shows_code && outcome.run) code.push_back(pytorch_text_of(outcome));
        });
  }
  writer->finish();
  for (const std::string& text : code) std::cout << '\n' << text;
  std::cout.flush();
  failures.check();
  return 0;
}

}  // namespace epochcast
