// SPDX-License-Identifier: Apache-2.0
// `epochcast choose`: which strategy, with which settings, on which cluster?
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/choose/choice.hpp"
#include "analysis/forecast/sweep.hpp"
#include "analysis/pages/curve_html.hpp"
#include "base/error.hpp"
#include "base/files/cache_folder.hpp"
#include "base/files/file_draft.hpp"
#include "base/json/json_text.hpp"
#include "base/machine.hpp"
#include "base/process/ending.hpp"
#include "base/text/progress_bar.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/options/choose_options.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/rehearsal_options.hpp"
#include "cli/show/show_choice.hpp"
#include "cli/show/show_rehearsals.hpp"
#include "cli/show/table_style.hpp"
#include "core/formats/measured_curves.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/setting_text.hpp"
#include "rehearse/runs/rehearsal_folder.hpp"
#include "rehearse/runs/rehearse_all.hpp"
#include "results/schema.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

constexpr const char* kChoiceHelp = "choose what reaches first, or at the least cost:";

/// The option of its outcomes, one for each seed. Those that diverged have no curve to the target.
ChoiceOption option_of(const ChoiceTasks& tasks, const std::vector<RehearsalOutcome>& outcomes) {
  ChoiceOption option = {
      .cluster = tasks.cluster, .job = tasks.job, .origin = origin_text(outcomes)};
  option.learned.name = tasks.job;
  for (const RehearsalOutcome& outcome : outcomes) {
    if (!outcome.curve.empty()) option.learned.curves.push_back(outcome.curve);
    if (outcome.ending == Ending::diverged) option.origin = "diverged";
    if (!outcome.run) continue;
    if (outcome.run->cost) option.learned.running.price = outcome.run->cost->rate;
    if (outcome.run->energy) option.learned.running.power_w = outcome.run->training_j(1);
  }
  return option;
}

/// Throws if no option has a curve; else says which jobs are impossible.
void report_impossible(const std::vector<ChoiceTasks>& all,
                       const std::vector<RehearsalOutcome>& outcomes) {
  std::vector<std::string> problems;
  bool has_failed = false;
  std::size_t next = 0;
  for (const ChoiceTasks& tasks : all) {
    for (std::size_t seed = 0; seed < tasks.tasks.size(); ++seed) {
      const RehearsalOutcome& outcome = outcomes[next++];
      has_failed =
          has_failed || outcome.ending == Ending::failed || outcome.ending == Ending::killed;
      for (const std::string& problem : outcome.problems) {
        std::string text = tasks.job + " on " + tasks.cluster + ": " + problem;
        if (std::ranges::count(problems, text) == 0) problems.push_back(std::move(text));
      }
    }
  }
  const bool has_curve = std::ranges::any_of(
      outcomes, [](const RehearsalOutcome& outcome) { return !outcome.curve.empty(); });
  if (!has_curve && !problems.empty()) {
    if (has_failed) throw RunError(problems.front());
    throw UserError(problems);
  }
  for (const std::string& problem : problems) std::cerr << "epochcast: " << problem << '\n';
}

/// The learning of a job, for forecasts.
MeasuredCurves curves_of(const std::vector<RehearsalOutcome>& outcomes,
                         const std::string& command) {
  const RehearsalOutcome& first = outcomes.front();
  const JobConfig& config = first.task.config;
  MeasuredCurves curves = {.network = first.run->network,
                           .dataset = first.run->dataset,
                           .strategy = config.strategy,
                           .settings = {},
                           .batch = config.batch,
                           .workers = first.run->trainers(),
                           .source = {.grade = Grade::measured,
                                      .machine = "rehearsed on " + machine_text(),
                                      .date = today_text(),
                                      .command = command},
                           .runs = {}};
  const Strategy& strategy = find_strategy(config.strategy);
  for (const SettingText& setting : all_settings().texts(config, in(Command::rehearse))) {
    if (strategy.has(setting.name)) curves.settings.push_back(setting);
  }
  for (const RehearsalOutcome& outcome : outcomes) {
    std::vector<MeasuredTest>& tests = curves.runs.emplace_back();
    for (const CurvePoint& point : outcome.curve)
      tests.push_back({.samples = point.samples,
                       .loss = point.test_loss,
                       .accuracy = point.test_accuracy,
                       .perplexity = point.test_perplexity});
  }
  return curves;
}

/// A file for each job whose seeds all have curves. Jobs on clusters with as many workers are the
/// same.
void save_curves(const fs::path& folder,
                 const std::vector<RehearsalOutcome>& outcomes,
                 const std::string& job,
                 const std::string& command) {
  if (folder.empty() || !std::ranges::all_of(outcomes, [](const RehearsalOutcome& outcome) {
        return outcome.run && !outcome.curve.empty();
      }))
    return;
  const MeasuredCurves curves = curves_of(outcomes, command);
  std::string name = job + "-" + std::to_string(curves.workers) + "-workers";
  std::ranges::replace_if(
      name, [](char letter) { return letter == ' ' || letter == '/' || letter == ','; }, '-');
  replace_file(made(folder) / (name + ".json"), json_text(to_json(curves)));
}

/// Every job with every combination of settings, on every cluster, rehearsed where needed.
std::vector<ChoiceOption> rehearsed_options(const po::variables_map& values,
                                            const std::vector<std::string>& words,
                                            const JobConfig& config,
                                            const LearningTarget& target,
                                            const OutputFile& page) {
  if (chosen_data(config).empty())
    throw UserError(
        "--data: missing; expected a folder, or \"procedural\" for samples that are computed; or "
        "--curves with what was learned elsewhere");
  const std::vector<ChoiceTasks> all = choice_tasks(values, config, target);
  std::vector<RehearsalTask> tasks;
  for (const ChoiceTasks& one : all) {
    tasks.insert(tasks.end(), one.tasks.begin(), one.tasks.end());
    keep_apart({page}, inputs_of(values, one.tasks.front().config));
  }
  RehearsalPlace place = rehearsal_place_from(values, config);
  start_study(values, words, place);
  std::vector<RehearsalOutcome> outcomes;
  {
    ProgressBar progress(std::cerr, isatty(STDERR_FILENO) != 0, "rehearsing", 1);
    outcomes = rehearse_all(tasks, place, Catalog::standard(), news_for(progress));
  }
  report_impossible(all, outcomes);
  std::vector<ChoiceOption> options;
  auto next = outcomes.begin();
  for (const ChoiceTasks& one : all) {
    const auto end = next + static_cast<std::ptrdiff_t>(one.tasks.size());
    const std::vector<RehearsalOutcome> seeds(next, end);
    options.push_back(option_of(one, seeds));
    save_curves(file_from(values, "save-curves"), seeds, one.job, shell_text(words));
    next = end;
  }
  return options;
}

/// A job of the curves on a cluster.
ForecastTask task_of(const MeasuredCurves& curves, JobConfig config) {
  config.network = curves.network;
  config.dataset = curves.dataset;
  config.strategy = curves.strategy;
  config.batch = curves.batch;
  for (const SettingText& setting : curves.settings)
    all_settings().set(config, setting.name, setting.value, "--curves: " + setting.name);
  return {.config = config, .strategy = curves.strategy};
}

std::string job_text(const MeasuredCurves& curves) {
  std::string text = curves.strategy;
  for (const SettingText& setting : curves.settings)
    text += ", " + setting.name + " " + setting.value;
  return text + ", batch " + std::to_string(curves.batch);
}

/// Jobs whose curves were measured elsewhere, with the times of forecasts. Clusters with another
/// number of workers are named and left out: what they would learn was not observed.
std::vector<ChoiceOption> measured_options(const po::variables_map& values,
                                           const JobConfig& config,
                                           const OutputFile& page) {
  std::vector<MeasuredCurves> files;
  for (const std::string& file : split(values["curves"].as<std::string>(), ',')) {
    files.push_back(load_measured_curves(file));
    keep_apart({page}, {file});
  }
  const std::vector<NamedCluster> clusters = clusters_from(values, config);
  std::vector<ForecastTask> tasks;
  for (const NamedCluster& cluster : clusters) {
    for (const MeasuredCurves& curves : files) tasks.push_back(task_of(curves, cluster.config));
  }
  const std::vector<ForecastOutcome> outcomes = forecast_all(tasks, Catalog::standard());
  std::vector<ChoiceOption> options;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const MeasuredCurves& curves = files[i % files.size()];
    const std::string& cluster = clusters[i / files.size()].name;
    const std::string name = job_text(curves) + " on " + cluster;
    if (!outcomes[i].run) {
      missing.push_back(name + ": " + outcomes[i].problems.front());
      continue;
    }
    const RunResult& run = *outcomes[i].run;
    if (run.trainers() != curves.workers) {
      missing.push_back(name + ": not observed with " + std::to_string(run.trainers()) +
                        " workers, but with " + std::to_string(curves.workers) +
                        "; import a log of such a job, or choose other --nodes");
      continue;
    }
    ChoiceOption option = {
        .cluster = cluster, .job = job_text(curves), .origin = "learned elsewhere, timed now"};
    option.learned = {.name = option.job, .curves = {}};
    for (const std::vector<MeasuredTest>& tests : curves.runs)
      option.learned.curves.push_back(timed_curve(tests, 1 / run.samples_per_s()));
    if (run.cost) option.learned.running.price = run.cost->rate;
    if (run.energy) option.learned.running.power_w = run.training_j(1);
    options.push_back(std::move(option));
  }
  if (options.empty()) throw UserError(missing);
  for (const std::string& problem : missing) std::cerr << "epochcast: " << problem << '\n';
  return options;
}

/// The curves for a page: by cluster, if there are several.
std::vector<SeededCurves> shown_curves(const std::vector<ChoiceOption>& options,
                                       const Choice& choice) {
  std::vector<SeededCurves> curves;
  for (const RankedOption& ranked : choice.ranked) {
    const ChoiceOption& option = options[ranked.option];
    if (option.learned.curves.empty()) continue;
    curves.push_back(option.learned);
    if (option.cluster != options.front().cluster || options.back().cluster != option.cluster)
      curves.back().name = option.job + " on " + option.cluster;
  }
  return curves;
}

}  // namespace

CommandHelp choose_help() {
  CommandHelp help = {
      .usage = "[OPTIONS]",
      .about =
          "Which strategy, which settings, which cluster: the time, cost and energy to an "
          "accuracy. What is learned on one cluster is timed on the others.",
      .groups = setting_groups(Command::rehearse),
      .most_used = {"cluster",
                    "network",
                    "dataset",
                    "data",
                    "strategy",
                    "sweep",
                    "target-accuracy",
                    "by",
                    "batch",
                    "epochs",
                    "train-samples",
                    "seeds",
                    "html"},
      .examples = {"epochcast choose --cluster \"deep-est-esb nodes=16 network.bandwidth=10Gbps\" "
                   "--cluster \"deep-est-esb nodes=8\" --network small-cnn --dataset cifar10 "
                   "--data procedural --train-samples 4096 --test-samples 1000 --batch 8 "
                   "--epochs 12 --strategy sync,local-sgd --sweep local-steps=2,8 "
                   "--target-accuracy 60%"}};
  help.groups.push_back(help_group("The target", target_options(kChoiceHelp)));
  help.groups.push_back(help_group("The choice", choose_options()));
  help.groups.push_back(help_group("Where", rehearsal_place_options()));
  help.groups.push_back(help_group("How", common_options().add(wide_option())));
  return help;
}

int run_choose(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::rehearse))
      .add(target_options(kChoiceHelp))
      .add(choose_options())
      .add(rehearsal_place_options())
      .add(common_options())
      .add(wide_option());
  const po::variables_map values = parse_flags("choose", arguments, options);
  const Format format = format_from(values);
  const JobConfig config = config_from(Command::rehearse, values);
  const ChoiceGoal goal = choice_goal_from(values);
  const std::optional<LearningTarget> target = target_from(values);
  if (!target)
    throw UserError("expected a target: --target-accuracy, --target-loss or --target-perplexity");
  std::vector<std::string> words = {"epochcast", "choose"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string command = shell_text(words);
  const OutputFile page = output_from(values, "html");
  const std::vector<ChoiceOption> found =
      values.count("curves") > 0 ? measured_options(values, config, page)
                                 : rehearsed_options(values, words, config, *target, page);
  const Choice choice = choose(found, *target, goal);
  if (format == Format::json)
    std::cout << result_document(
                     kChoiceSchema, choice_json(found, choice, *target, goal), {.command = command})
                     .dump(2)
              << '\n';
  if (format == Format::csv) show_choice_csv(found, choice);
  if (format == Format::table) show_choice(found, choice, *target, goal, look_from(values));
  if (page.is_wanted())
    page.write(curve_html(
        shown_curves(found, choice),
        {.title = "Which one for " + (config.network.empty() ? "this job" : config.network) + "?",
         .command = command,
         .target = target,
         .findings = answer_text(found, choice, *target, goal)}));
  return status_of(choice.is_found() ? Ending::done : Ending::failed);
}

}  // namespace epochcast
