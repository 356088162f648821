// SPDX-License-Identifier: Apache-2.0
// `epochcast rehearse`: learning curves on simulated clusters.
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <thread>

#include "analysis/forecast/sweep.hpp"
#include "analysis/pages/curve_html.hpp"
#include "base/error.hpp"
#include "base/text/progress_bar.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/launch/launch.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/rehearsal_options.hpp"
#include "cli/show/show_rehearsals.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/setting_text.hpp"
#include "rehearse/runs/rehearse_all.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

constexpr const char* kTargetHelp = "end with the first epoch that reaches, and show its time:";

po::options_description rehearse_options() {
  po::options_description options("The rehearsals", 110, 60);
  options.add_options()(
      "sweep",
      po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
      "rehearse every value of a setting; several sweeps multiply (use ; between values that "
      "contain commas)")(
      "stop-after",
      po::value<std::string>()->value_name("TIME"),
      "end with the first epoch after which training has taken so long on the simulated clock")(
      "seeds",
      po::value<std::string>()->value_name("COUNT")->default_value("1"),
      "rehearse every job with as many seeds, from --seed on; output has means and deviations")(
      "html", po::value<std::string>()->value_name("FILE"), "write a page with plots");
  return options;
}

/// The problems of jobs without a curve, each once. Throws if the user has to correct something:
/// not for impossible points of a sweep with possible ones.
void report_problems(const std::vector<RehearsalOutcome>& outcomes, bool is_sweep) {
  std::vector<std::string> problems;
  bool is_bad_input = false;
  bool has_failed = false;
  bool has_curve = false;
  const auto is_of_all = [&](const std::string& problem) {
    return std::all_of(outcomes.begin(), outcomes.end(), [&](const RehearsalOutcome& outcome) {
      return std::find(outcome.problems.begin(), outcome.problems.end(), problem) !=
             outcome.problems.end();
    });
  };
  for (const RehearsalOutcome& outcome : outcomes) {
    for (const std::string& problem : outcome.problems) {
      std::string text = is_of_all(problem) ? problem : name_of(outcome) + ": " + problem;
      if (std::find(problems.begin(), problems.end(), text) == problems.end())
        problems.push_back(std::move(text));
    }
    is_bad_input = is_bad_input || outcome.ending == Ending::bad_input;
    has_failed = has_failed || (outcome.ending != Ending::bad_input && !outcome.problems.empty());
    has_curve = has_curve || !outcome.curve.empty();
  }
  if (problems.empty()) return;
  if (is_bad_input && !(is_sweep && has_curve)) throw UserError(problems);
  for (const std::string& problem : problems) {
    if (has_failed && &problem == &problems.back()) throw RunError(problem);
    std::cerr << "epochcast: " << problem << '\n';
  }
}

}  // namespace

CommandHelp rehearse_help() {
  CommandHelp help = {
      .usage = "[OPTIONS]",
      .about = "Accuracy against the seconds of a cluster that you do not have.",
      .groups = setting_groups(Command::rehearse),
      .most_used = {"platform",
                    "network",
                    "dataset",
                    "strategy",
                    "nodes",
                    "batch",
                    "epochs",
                    "data",
                    "train-samples",
                    "sweep",
                    "target-accuracy",
                    "html"},
      .examples = {"epochcast rehearse --platform deep-est-esb --nodes 8 --network resnet20 "
                   "--dataset cifar10 --data procedural --train-samples 8192 --epochs 4 --strategy "
                   "sync,local-sgd --html curves.html"}};
  help.groups.push_back(help_group("Sweeps and pages", rehearse_options()));
  help.groups.push_back(help_group("The target", target_options(kTargetHelp)));
  help.groups.push_back(help_group("Where", rehearsal_place_options()));
  help.groups.push_back(help_group("Tables", wide_option()));
  help.groups.push_back(help_group("How", common_options()));
  return help;
}

int run_rehearse(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::rehearse))
      .add(rehearse_options())
      .add(target_options(kTargetHelp))
      .add(rehearsal_place_options())
      .add(wide_option())
      .add(common_options());
  const po::variables_map values = parse_flags("rehearse", arguments, options);
  const Format format = format_from(values);
  const JobConfig config = config_from(Command::rehearse, values);
  std::vector<SweepAxis> axes;
  if (values.count("sweep") > 0) {
    for (const std::string& text : values["sweep"].as<std::vector<std::string>>())
      axes.push_back(parse_axis(text, Command::rehearse));
  }
  const std::optional<LearningTarget> target = target_from(values);
  const std::optional<double> stop_after_s = seconds_from(values, "stop-after");
  const int seeds = seeds_from(values);
  std::vector<RehearsalTask> tasks;
  for (const ForecastTask& task : expand(config, axes)) {
    for (int seed = 0; seed < seeds; ++seed) {
      tasks.push_back({.config = task.config,
                       .point = point_text(task.point),
                       .stop_after_s = stop_after_s,
                       .stop_at = target});
      tasks.back().config.strategy = task.strategy;
      tasks.back().config.seed += static_cast<std::uint64_t>(seed);
    }
  }
  const OutputFile page = output_from(values, "html");
  for (const RehearsalTask& task : tasks) keep_apart({page}, inputs_of(values, task.config));
  std::vector<std::string> words = {"epochcast", "rehearse"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string command = shell_text(words);
  RehearsalPlace place = rehearsal_place_from(values, config);
  start_study(values, words, place);
  std::vector<RehearsalOutcome> outcomes;
  {
    ProgressBar progress(std::cerr, isatty(STDERR_FILENO) != 0, "rehearsing", 1);
    outcomes = rehearse_all(tasks, place, Catalog::standard(), news_for(progress));
  }
  const std::vector<SeededCurves> jobs = curves_by_job(outcomes, static_cast<std::size_t>(seeds));
  if (format == Format::json) show_rehearsal_json(outcomes, jobs, target, command);
  if (format == Format::csv) show_rehearsal_csv(outcomes);
  if (format == Format::table && !jobs.empty()) {
    show_rehearsal_table(jobs, target, look_from(values));
    show_origins(outcomes, static_cast<std::size_t>(seeds));
  }
  if (page.is_wanted() && !jobs.empty()) {
    std::string title = "Rehearsal of " + config.network + " on " + config.platform;
    if (seeds > 1) title += ": means over " + std::to_string(seeds) + " seeds";
    page.write(curve_html(jobs, {.title = title, .command = command, .target = target}));
  }
  report_problems(outcomes, !axes.empty() || config.strategy == "all");
  return 0;
}

}  // namespace epochcast
