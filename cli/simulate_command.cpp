// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>

#include "analysis/forecast/sweep.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/forecast_and_show.hpp"
#include "cli/show/show_pytorch.hpp"
#include "core/error.hpp"
#include "core/job/job_config.hpp"
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

std::string pytorch_text_of(const ForecastOutcome& outcome) {
  JobConfig config = outcome.task.config;
  config.strategy = outcome.task.strategy;
  const std::string point = point_text(outcome.task.point);
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
      make_forecast_writer(std::cout, format, shell_text(command), Command::simulate, tasks);
  const bool shows_code = shows_pytorch(values);
  std::vector<std::string> code;
  const Catalog catalog = Catalog::standard();
  const Failures failures = forecast_and_show(
      tasks,
      [&](const JobConfig& job) { return load_job(job, catalog); },
      records,
      *writer,
      [&](const ForecastOutcome& outcome) {
        if (shows_code && outcome.run) code.push_back(pytorch_text_of(outcome));
      });
  for (const std::string& text : code) std::cout << '\n' << text;
  std::cout.flush();
  failures.check();
  return 0;
}

}  // namespace epochcast
