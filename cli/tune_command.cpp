// SPDX-License-Identifier: Apache-2.0
// `epochcast tune`: which K', which H?
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/forecast/sweep.hpp"
#include "analysis/pages/curve_html.hpp"
#include "analysis/tune/tuning_space.hpp"
#include "base/error.hpp"
#include "base/process/ending.hpp"
#include "base/text/progress_bar.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/units.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/rehearsal_options.hpp"
#include "cli/show/show_pytorch.hpp"
#include "cli/show/show_tuning.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/setting_text.hpp"
#include "rehearse/runs/rehearse_all.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

constexpr const char* kGoalHelp =
    "find the setting that reaches, in the least time of the simulated cluster:";

po::options_description tune_options() {
  po::options_description options("The choice", 110, 60);
  options.add_options()("time-budget",
                        po::value<std::string>()->value_name("TIME"),
                        "instead of a target: find the setting that has learned the most after "
                        "this time of the simulated "
                        "cluster")(
      "choose",
      po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
      "settings and values to choose from; several multiply (default: averaging-period or "
      "local-steps, as a strategy has it: 1, 2, 4, ... up to an epoch, and the default)")(
      "seeds",
      po::value<std::string>()->default_value("3")->value_name("COUNT"),
      "seeds, from --seed on: all settings race with the first one, those that are left with the "
      "next ones")("html",
                   po::value<std::string>()->value_name("FILE"),
                   "write a page with the curves, means over seeds");
  return options;
}

/// Rehearses candidates.
class CandidateRehearsals {
 public:
  CandidateRehearsals(const TuningChoice& choice, const TuningPlan& plan, RehearsalPlace place)
      : choice_(choice), plan_(plan), place_(std::move(place)) {}

  std::vector<Curve> operator()(const std::vector<Trial>& trials, double until_s) {
    std::vector<RehearsalTask> tasks;
    for (const Trial& trial : trials) {
      tasks.push_back({.config = choice_.configs[trial.candidate],
                       .point = choice_.candidates[trial.candidate].name,
                       .stop_after_s = until_s,
                       .stop_at = plan_.goal.target});
      tasks.back().config.seed += static_cast<std::uint64_t>(trial.seed);
    }
    const std::string what = "seed " + std::to_string(trials.front().seed + 1) + " of " +
                             std::to_string(plan_.seeds) + ": " + std::to_string(trials.size()) +
                             (trials.size() == 1 ? " setting" : " settings") + " to " +
                             format_seconds(until_s);
    ProgressBar progress(std::cerr, isatty(STDERR_FILENO) != 0, what, 1);
    const std::vector<RehearsalOutcome> outcomes =
        rehearse_all(tasks, place_, Catalog::standard(), news_for(progress));
    std::vector<Curve> curves;
    for (const RehearsalOutcome& outcome : outcomes) {
      const bool has_diverged = outcome.ending == Ending::diverged;
      if (outcome.ending == Ending::bad_input) throw UserError(outcome.problems);
      if (outcome.ending != Ending::done && !has_diverged) throw RunError(outcome.problems.front());
      learned_epochs_ += outcome.learned_epochs;
      if (outcome.run) cluster_ = {.workers = outcome.run->workers, .nodes = outcome.run->nodes};
      curves.push_back(has_diverged ? Curve() : outcome.curve);
    }
    return curves;
  }

  [[nodiscard]] const RehearsedCluster& cluster() const { return cluster_; }
  [[nodiscard]] std::int64_t learned_epochs() const { return learned_epochs_; }

 private:
  const TuningChoice& choice_;
  const TuningPlan& plan_;
  RehearsalPlace place_;
  RehearsedCluster cluster_;
  std::int64_t learned_epochs_ = 0;
};

/// The curves that a page shows first: the recommended setting, the second, the default, and others
/// that were rehearsed to the end.
std::vector<std::string> shown_first_of(const TuningChoice& choice, const Tuning& tuning) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  const auto add = [&](std::size_t i) {
    const std::string& name = choice.candidates[i].name;
    if (names.size() < kMost && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (const std::optional<std::size_t>& first : {tuning.best, tuning.runner_up}) {
    if (first) add(*first);
  }
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    if (choice.candidates[i].is_default) add(i);
  }
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    if (tuning.outcomes[i].fate == CandidateOutcome::Fate::finalist) add(i);
  }
  return names;
}

}  // namespace

CommandHelp tune_help() {
  CommandHelp help = {
      .usage = "[OPTIONS]",
      .about =
          "The averaging period K', the local steps H, or other settings that reach an accuracy "
          "first.",
      .groups = setting_groups(Command::rehearse),
      .most_used = {"platform",
                    "network",
                    "dataset",
                    "strategy",
                    "batch",
                    "epochs",
                    "data",
                    "train-samples",
                    "learning-rate",
                    "target-accuracy",
                    "time-budget",
                    "choose"},
      .examples = {
          "epochcast tune --platform server-2cpu-8gpu --network resnet20 --dataset cifar10 "
          "--data procedural --train-samples 1280 --test-samples 300 --batch 8 --epochs 20 "
          "--learning-rate 0.02 --strategy node-based,local-sgd,biased-local-sgd "
          "--target-accuracy 30%"}};
  help.groups.push_back(help_group("The target", target_options(kGoalHelp)));
  help.groups.push_back(help_group("The choice", tune_options()));
  help.groups.push_back(help_group("Where", rehearsal_place_options()));
  help.groups.push_back(help_group("How", common_options().add(show_option()).add(wide_option())));
  return help;
}

int run_tune(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::rehearse))
      .add(target_options(kGoalHelp))
      .add(tune_options())
      .add(rehearsal_place_options())
      .add(common_options())
      .add(show_option())
      .add(wide_option());
  const po::variables_map values = parse_flags("tune", arguments, options);
  const Format format = format_from(values);
  if (format == Format::csv) throw UserError("--format: tune writes table or json");
  const bool shows_code = shows_pytorch(values);
  const JobConfig config = config_from(Command::rehearse, values);
  TuningPlan plan;
  plan.goal.target = target_from(values);
  const std::optional<double> budget_s = seconds_from(values, "time-budget");
  if (plan.goal.target.has_value() == budget_s.has_value())
    throw UserError(
        "expected a target (--target-accuracy, --target-loss, --target-perplexity) or "
        "--time-budget");
  plan.seeds = seeds_from(values);
  if (chosen_data(config).empty()) {
    throw UserError(
        "--data: missing; expected a folder, or \"procedural\" for samples that are computed");
  }
  std::vector<SweepAxis> axes;
  if (values.count("choose") > 0) {
    for (const std::string& text : values["choose"].as<std::vector<std::string>>())
      axes.push_back(parse_axis(text, Command::rehearse, "--choose"));
  }
  const TuningChoice choice = choice_of(axes, config);
  if (choice.candidates.size() < 2)
    throw UserError("there is one setting to choose from: " + choice.candidates.front().name);
  const OutputFile page = output_from(values, "html");
  for (const JobConfig& candidate : choice.configs)
    keep_apart({page}, inputs_of(values, candidate));
  double fastest_s = choice.candidates.front().epoch_s;
  for (const Candidate& candidate : choice.candidates)
    fastest_s = std::min(fastest_s, candidate.epoch_s);
  plan.goal.most_s = budget_s.value_or(fastest_s * static_cast<double>(config.epochs));
  std::vector<std::string> words = {"epochcast", "tune"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string command = shell_text(words);
  RehearsalPlace place = rehearsal_place_from(values, config);
  start_study(values, words, place);
  CandidateRehearsals rehearsals(choice, plan, std::move(place));
  const Tuning tuning = tune(choice.candidates, plan, std::ref(rehearsals));
  std::cerr
      << "epochcast: " << rehearsals.learned_epochs()
      << " epochs were computed now; what is kept, or learned with another setting, was not\n";
  if (format == Format::json) {
    std::cout << tuning_json(choice, tuning, plan, command).dump(2) << '\n';
  } else {
    show_tuning(choice, tuning, plan, rehearsals.cluster(), look_from(values));
  }
  if (shows_code && tuning.verdict == Verdict::recommended) {
    const RehearsedCluster& cluster = rehearsals.cluster();
    std::cout << "\nIn PyTorch:\n"
              << pytorch_text(choice.configs[*tuning.best],
                              cluster.workers / std::max(1, cluster.nodes));
  }
  if (page.is_wanted()) {
    std::vector<SeededCurves> curves;
    for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
      const CandidateOutcome& outcome = tuning.outcomes[i];
      const bool is_there =
          !outcome.curves.empty() && outcome.fate != CandidateOutcome::Fate::diverged;
      if (is_there) curves.push_back({choice.candidates[i].name, outcome.curves});
    }
    page.write(curve_html(
        curves,
        {.title = "Tuning " + config.strategy + ": " + std::to_string(plan.seeds) + " seeds",
         .command = command,
         .target = plan.goal.target,
         .findings = recommendation_text(choice, tuning, plan, rehearsals.cluster()),
         .shown_first = shown_first_of(choice, tuning)}));
  }
  return status_of(tuning.best ? Ending::done : Ending::failed);
}

}  // namespace epochcast
