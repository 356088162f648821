// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/forecast/few_iterations.hpp"
#include "analysis/forecast/sweep.hpp"
#include "analysis/pages/forecast_html.hpp"
#include "base/error.hpp"
#include "base/files/cache_folder.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/launch/study.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/forecast_and_show.hpp"
#include "cli/show/forecast_ranking.hpp"
#include "cli/show/scaling_writer.hpp"
#include "cli/show/show_pytorch.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/job_config.hpp"
#include "strategies/settings.hpp"

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
      "scaling",
      po::value<std::string>()->value_name("strong|weak"),
      "of a sweep over nodes: columns of speed-up and efficiency; strong: workers share the global "
      "batch of the point with the fewest, weak: each keeps --batch")(
      "timeline",
      po::value<std::string>()->value_name("FILE"),
      "write what every worker does as Chrome trace JSON (one strategy, no sweep)")(
      "chakra",
      po::value<std::string>()->value_name("FOLDER"),
      "write the work of every worker as Chakra execution traces for ASTRA-sim, one file per "
      "worker "
      "with every iteration of every epoch (one strategy, no sweep; choose --epochs accordingly)")(
      "html",
      po::value<std::string>()->value_name("FILE"),
      "also write a page: ranking, where epochs go, curves over sweeps, a few iterations in time")(
      "folder",
      po::value<std::string>()->value_name("FOLDER"),
      "keep forecasts here, by content; kept ones are not repeated (with --on, the default is "
      "~/.cache/epochcast/forecasts)")(
      "on",
      po::value<std::string>()->value_name(kStudyPlaces)->default_value("here"),
      kStudyPlaceHelp)(
      "rank-by",
      po::value<std::string>()->value_name("time|cost|energy"),
      "rank all points of a sweep together, by what as many samples as the data set has take, cost "
      "or draw");
  return options;
}

/// Where points are computed and kept, and the helpers that do so, started with `words`.
ForecastPlace place_from(const po::variables_map& values,
                         const std::vector<std::string>& words,
                         const RecordFiles& records,
                         const Catalog& catalog) {
  const StudyPlace study = parse_study_place(values["on"].as<std::string>());
  std::filesystem::path folder = file_from(values, "folder");
  if (folder.empty() && study.kind == StudyPlace::Kind::here) return {};
  if (records.timeline.is_wanted() || !records.chakra.empty())
    throw UserError(
        "--folder, --on: --timeline and --chakra are written by one call; expected these "
        "alone");
  folder = folder.empty() ? cache_folder("forecasts") : std::filesystem::absolute(folder);
  return {.kept = std::make_shared<ForecastFiles>(folder, catalog),
          .helpers = start_helpers(study, words, folder),
          .computes = study.kind != StudyPlace::Kind::none};
}

/// The files of --timeline and --chakra, checked.
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

/// A task's point in a sweep, without its strategy.
std::vector<SettingText> place_of(const ForecastTask& task) {
  std::vector<SettingText> place = task.point;
  std::erase_if(place, [](const SettingText& setting) { return setting.name == "strategy"; });
  return place;
}

/// A page's timelines: of the first point of a sweep, to limit its size.
nlohmann::ordered_json timelines_of(const std::vector<ForecastOutcome>& outcomes,
                                    SharedJobs& jobs) {
  constexpr std::size_t kMostEvents = 2000;  // of each strategy
  std::vector<ForecastTask> tasks;
  for (const ForecastOutcome& outcome : outcomes) {
    if (outcome.run && (tasks.empty() || place_of(outcome.task) == place_of(tasks.front())))
      tasks.push_back(outcome.task);
  }
  return few_iterations(tasks, jobs, kMostEvents);
}

std::string pytorch_text_of(const ForecastOutcome& outcome) {
  JobConfig config = outcome.task.config;
  config.strategy = outcome.task.strategy;
  const Period* const period = find_strategy(config.strategy).period;
  for (const SettingText& setting : outcome.run->config) {
    if (setting.name == "precision" || (period != nullptr && setting.name == period->setting->name))
      all_settings().set(config, setting.name, setting.value, "--precision");
  }
  const std::string point = point_text(outcome.task.point);
  return "# " + config.strategy + (point.empty() ? "" : ": " + point) + "\n" +
         pytorch_text(config, outcome.run->workers / std::max(1, outcome.run->nodes));
}

}  // namespace

CommandHelp simulate_help() {
  CommandHelp help = {
      .usage = "[OPTIONS]",
      .about = {},
      .groups = setting_groups(Command::simulate),
      .most_used = {"platform",
                    "network",
                    "dataset",
                    "strategy",
                    "nodes",
                    "batch",
                    "overlap",
                    "set",
                    "sweep",
                    "format",
                    "timeline"},
      .examples = {"epochcast simulate --platform deep-est-esb --nodes 12 --network "
                   "resnet50 --dataset cifar10",
                   "epochcast simulate --platform deep-est-esb --network resnet50 --dataset "
                   "cifar10 --strategy sync,node-based --sweep nodes=4,8,16,32"}};
  help.groups.push_back(help_group("Sweeps and records", simulate_options()));
  help.groups.push_back(table_help());
  help.groups.push_back(help_group("How", common_options().add(show_option())));
  return help;
}

int run_simulate(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::simulate))
      .add(common_options().add(simulate_options()))
      .add(table_options())
      .add(show_option());
  const po::variables_map values = parse_flags("simulate", arguments, options);
  const Format format = format_from(values);
  const TableStyle style = style_from(values);
  std::vector<SweepAxis> axes;
  if (values.count("sweep") > 0) {
    for (const std::string& text : values["sweep"].as<std::vector<std::string>>())
      axes.push_back(parse_axis(text));
  }
  const JobConfig config = config_from(Command::simulate, values);
  const Catalog catalog = Catalog::standard();
  const auto load = [&](const JobConfig& job) { return load_job(job, catalog); };
  SharedJobs jobs(load);
  std::vector<ForecastTask> tasks = with_overlapped_sync(expand(config, axes));
  std::optional<Scaling> scaling;
  if (values.count("scaling") > 0) {
    if (values.count("rank-by") > 0)
      throw UserError("--scaling: compares numbers of workers; expected this or --rank-by");
    scaling = parse_scaling(values["scaling"].as<std::string>());
    tasks = scaled(tasks, *scaling, jobs);
  }
  const RecordFiles records = records_from(values, tasks);
  std::vector<std::string> command = {"epochcast", "simulate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  auto writer =
      make_forecast_writer(std::cout, format, shell_text(command), Command::simulate, tasks, style);
  if (values.count("rank-by") > 0) {
    const RankBy by = rank_by_from(values["rank-by"].as<std::string>());
    if (!style.columns.empty() || !style.sorted_by.empty())
      throw UserError(
          "--rank-by: has columns and an order of its own; expected no --columns, --sort");
    writer = format == Format::table ? ranking_table(std::cout, by, style.look)
                                     : ranking_writer(std::move(writer), by);
  }
  if (scaling) writer = std::make_unique<ScalingWriter>(std::move(writer), *scaling);
  const bool shows_code = shows_pytorch(values);
  std::vector<std::string> code;
  const OutputFile page = output_from(values, "html");
  for (const ForecastTask& task : tasks)
    keep_apart({page, records.timeline}, inputs_of(values, task.config));
  std::vector<ForecastOutcome> outcomes;  // for the page
  const Failures failures = forecast_and_show(
      tasks,
      jobs,
      records,
      *writer,
      [&](const ForecastOutcome& outcome) {
        if (shows_code && outcome.run) code.push_back(pytorch_text_of(outcome));
        if (page.is_wanted()) outcomes.push_back(outcome);
      },
      place_from(values, command, records, catalog));
  for (const std::string& text : code) std::cout << '\n' << text;
  std::cout.flush();
  failures.check();
  if (page.is_wanted())
    page.write(forecast_html(outcomes, timelines_of(outcomes, jobs), shell_text(command)));
  return 0;
}

}  // namespace epochcast
