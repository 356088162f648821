// SPDX-License-Identifier: Apache-2.0
// `epochcast tune`: which K', which H?
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/curve_html.hpp"
#include "analysis/rehearsals.hpp"
#include "analysis/sweep.hpp"
#include "analysis/tuning.hpp"
#include "cli/commands.hpp"
#include "cli/job_options.hpp"
#include "cli/progress_bar.hpp"
#include "cli/rehearsal_options.hpp"
#include "cli/table.hpp"
#include "core/error.hpp"
#include "core/setting_text.hpp"
#include "core/units.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using Fate = CandidateOutcome::Fate;

po::options_description own_options() {
  po::options_description options("The choice", 110, 60);
  options.add_options()("target-accuracy",
                        po::value<std::string>()->value_name("SHARE"),
                        "find what reaches this test accuracy, such as 0.9 or 90%, in the least "
                        "time of the simulated cluster")(
      "time-budget",
      po::value<std::string>()->value_name("TIME"),
      "or: what is the most accurate after so long on the simulated cluster")(
      "choose",
      po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
      "settings and values to choose from; several multiply (default: averaging-period or "
      "local-steps, as the strategy has it: 1, 2, 4, ... up to an epoch, and the default)")(
      "seeds",
      po::value<std::string>()->default_value("3")->value_name("COUNT"),
      "rehearsals of each setting, from --seed on")(
      "html", po::value<std::string>()->value_name("FILE"), "write a page with all curves");
  return options;
}

/// What a strategy lets choose: how often it averages.
std::string period_setting(const std::string& strategy) {
  if (strategy == "node-based") return "averaging-period";
  if (strategy.ends_with("local-sgd")) return "local-steps";
  return {};
}

double period_of(const JobConfig& config) {
  if (config.strategy == "node-based")
    return static_cast<double>(config.averaging_period.value_or(1));
  return static_cast<double>(config.local_steps);
}

/// Samples that an epoch trains on.
double samples_of(const RunResult& run) {
  std::int64_t most = 1;
  for (const DeviceResult& device : run.by_device) most = std::max(most, device.local_steps);
  double samples = 0;
  for (const DeviceResult& device : run.by_device) {
    if (device.role != "trains") continue;
    samples += static_cast<double>(device.workers * device.batch * run.iterations_per_epoch) *
               static_cast<double>(device.local_steps) / static_cast<double>(most);
  }
  return samples;
}

std::vector<ForecastOutcome> forecasts_of(const std::vector<ForecastTask>& tasks) {
  std::vector<ForecastOutcome> outcomes =
      forecast_all(tasks, Catalog::standard(), {}, [](std::size_t) {});
  for (const ForecastOutcome& outcome : outcomes) {
    if (outcome.run) continue;
    if (outcome.has_died) throw RunError(outcome.problems.front());
    throw UserError(outcome.problems);
  }
  return outcomes;
}

/// What is chosen from: each axis, the strategy's own one first.
struct Space {
  std::vector<SweepAxis> axes;
  std::string default_value;  ///< of the first axis, where that is the strategy's own; else empty
};

Space space_of(const po::variables_map& values, const JobConfig& config) {
  Space space;
  if (values.count("choose") > 0) {
    for (const std::string& text : values["choose"].as<std::vector<std::string>>())
      space.axes.push_back(parse_axis(text, Command::rehearse));
  }
  const std::string own = period_setting(config.strategy);
  if (own.empty()) {
    if (!space.axes.empty()) return space;
    throw UserError("--strategy: " + config.strategy +
                    " averages in every iteration; say what to choose from, such as --choose "
                    "batch=16,32,64");
  }
  auto axis = std::find_if(space.axes.begin(), space.axes.end(), [&](const SweepAxis& each) {
    return each.name == own;
  });
  JobConfig often = config;
  set_setting(often, own, "1", own);
  const ForecastOutcome finest =
      forecasts_of({{.config = often, .strategy = config.strategy, .point = {}}}).front();
  const std::int64_t most = finest.run->iterations_per_epoch;
  space.default_value = own == "averaging-period"
                            ? std::to_string(most)
                            : std::to_string(std::min<std::int64_t>(most, JobConfig().local_steps));
  if (axis == space.axes.end()) {
    SweepAxis powers = {.name = own, .values = {}};
    for (std::int64_t period = 1; period <= most; period *= 2)
      powers.values.push_back(std::to_string(period));
    space.axes.insert(space.axes.begin(), std::move(powers));
  } else {
    std::rotate(space.axes.begin(), axis, axis + 1);
  }
  std::vector<std::string>& periods = space.axes.front().values;
  if (std::find(periods.begin(), periods.end(), space.default_value) == periods.end())
    periods.push_back(space.default_value);
  return space;
}

struct Choice {
  std::vector<Candidate> candidates;
  std::vector<JobConfig> configs;  ///< by candidate
};

Choice choice_of(const Space& space, const JobConfig& config) {
  Choice choice;
  std::map<std::string, std::size_t> families;
  JobConfig short_job = config;
  short_job.epochs = 2;
  for (const ForecastOutcome& outcome : forecasts_of(expand(short_job, space.axes))) {
    JobConfig one = outcome.task.config;
    one.strategy = config.strategy;
    one.epochs = config.epochs;
    Candidate candidate = {.name = outcome.task.point,
                           .epoch_s = outcome.run->epoch_s,
                           .s_per_sample = outcome.run->epoch_s / samples_of(*outcome.run),
                           .period = period_of(one)};
    JobConfig without = one;
    bool is_default = true;
    for (std::size_t i = 0; i < space.axes.size(); ++i) {
      const std::string& name = space.axes[i].name;
      const Setting& setting =
          *std::find_if(settings().begin(), settings().end(), [&](const Setting& each) {
            return each.name == name;
          });
      const bool is_own = i == 0 && !space.default_value.empty();
      const std::string usual = is_own ? space.default_value : setting.show(config);
      is_default = is_default && setting.show(one) == usual;
      if (is_own) setting.set(without, "1");
    }
    std::string family;
    for (const SettingText& text : setting_texts(without)) family += text.value + "\n";
    candidate.family = families.emplace(family, families.size()).first->second;
    candidate.is_default = is_default;
    choice.candidates.push_back(std::move(candidate));
    choice.configs.push_back(std::move(one));
  }
  return choice;
}

std::string percent(double share) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

std::string objective(const TuningGoal& goal, double value, double deviation) {
  if (goal.target_accuracy) return format_seconds(value) + " +- " + format_seconds(deviation);
  return percent(value) + " +- " + percent(deviation);
}

std::string fate_of(const CandidateOutcome& outcome) {
  switch (outcome.fate) {
    case Fate::dominated:
      return "left out: " + outcome.reason;
    case Fate::given_up:
      return "given up: " + outcome.reason;
    case Fate::diverged:
      return "diverged: " + outcome.reason;
    case Fate::finalist:
      return outcome.mean ? "to the end" : "to the end; target not reached";
  }
  return {};
}

void show_candidates(const Choice& choice, const Tuning& tuning, const TuningGoal& goal) {
  Table table;
  table.add_column("setting");
  table.add_column("epoch", Table::Align::right);
  table.add_column("rehearsed", Table::Align::right);
  table.add_column(goal.target_accuracy ? "time to " + percent(*goal.target_accuracy)
                                        : "accuracy after " + format_seconds(goal.most_s),
                   Table::Align::right);
  table.add_column("what became of it");
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const CandidateOutcome& outcome = tuning.outcomes[i];
    table.add_row(
        {choice.candidates[i].name + (choice.candidates[i].is_default ? " (default)" : ""),
         format_seconds(choice.candidates[i].epoch_s),
         outcome.curves.empty() ? "-" : format_seconds(outcome.until_s),
         outcome.mean ? objective(goal, *outcome.mean, outcome.deviation) : "-",
         fate_of(outcome)});
  }
  table.print(std::cout);
}

void show_front(const Choice& choice, const Tuning& tuning) {
  constexpr std::size_t kMost = 12;
  std::cout << "\nNothing is faster and as accurate (means over seeds):\n";
  Table table;
  table.add_column("after", Table::Align::right);
  table.add_column("test accuracy", Table::Align::right);
  table.add_column("with");
  const std::size_t count = tuning.front.size();
  for (std::size_t i = 0; i < count; ++i) {
    // Evenly thinned, the last one always there.
    const bool is_shown = count <= kMost || (i + 1) * kMost / count != i * kMost / count;
    if (!is_shown) continue;
    const FrontPoint& point = tuning.front[i];
    table.add_row({format_seconds(point.seconds),
                   percent(point.accuracy),
                   choice.candidates[point.candidate].name});
  }
  table.print(std::cout);
}

/// How to train with these settings for real.
std::string train_command(const JobConfig& config, int workers) {
  std::vector<std::string> words = {"epochcast", "train"};
  const JobConfig usual;
  for (const Setting& setting : settings_of(Command::train)) {
    const std::string value = setting.show(config);
    const bool is_needed = setting.name == "strategy" || value != setting.show(usual);
    if (value.empty() || !is_needed || setting.name == "ranks") continue;
    words.push_back("--" + std::string(setting.name) + "=" + value);
  }
  words.push_back("--ranks=" + std::to_string(workers));
  return shell_text(words);
}

void show_recommendation(const Choice& choice,
                         const Tuning& tuning,
                         const TuningPlan& plan,
                         int workers) {
  const TuningGoal& goal = plan.goal;
  if (!tuning.best) {
    std::cout << "\nNo setting reached " << percent(*goal.target_accuracy)
              << " with every seed within " << format_seconds(goal.most_s)
              << " of the cluster's time. Raise --epochs, or lower --target-accuracy"
              << (tuning.front.empty()
                      ? std::string()
                      : " (the best was " + percent(tuning.front.back().accuracy) + ", after " +
                            format_seconds(tuning.front.back().seconds) + ")")
              << ".\n";
    return;
  }
  const Candidate& best = choice.candidates[*tuning.best];
  const CandidateOutcome& outcome = tuning.outcomes[*tuning.best];
  std::cout << "\nRecommended: " << best.name << " - "
            << objective(goal, *outcome.mean, outcome.deviation)
            << (goal.target_accuracy ? " to " + percent(*goal.target_accuracy)
                                     : " after " + format_seconds(goal.most_s))
            << " (mean and standard deviation over " << plan.seeds << " seeds)\n";
  if (tuning.runner_up) {
    const Candidate& second = choice.candidates[*tuning.runner_up];
    if (tuning.confidence < plan.confidence) {
      std::cout << "  It cannot be told apart from " << second.name
                << ": better with a confidence of " << percent(tuning.confidence)
                << ". More --seeds would tell.\n";
    } else {
      std::cout << "  Better than " << second.name << " with a confidence of "
                << percent(tuning.confidence) << " (paired t test over seeds)\n";
    }
  } else {
    std::cout << "  All others were given up, each with a confidence of "
              << percent(plan.confidence) << " or more.\n";
  }
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    if (!choice.candidates[i].is_default || i == *tuning.best) continue;
    const CandidateOutcome& usual = tuning.outcomes[i];
    std::cout << "  The default, " << choice.candidates[i].name << ": ";
    if (!usual.mean) {
      std::cout << (goal.target_accuracy ? "not there after " + format_seconds(usual.until_s)
                                         : "see above");
    } else if (goal.target_accuracy) {
      std::array<char, 16> factor{};
      std::snprintf(factor.data(), factor.size(), "%.2f", *usual.mean / *outcome.mean);
      std::cout << objective(goal, *usual.mean, usual.deviation) << ", " << factor.data()
                << " times as long";
    } else {
      std::cout << objective(goal, *usual.mean, usual.deviation);
    }
    std::cout << '\n';
  }
  std::cout << "  For real: " << train_command(choice.configs[*tuning.best], workers) << '\n';
}

Json json_of(const Choice& choice,
             const Tuning& tuning,
             const TuningPlan& plan,
             const std::string& command) {
  Json candidates = Json::array();
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const CandidateOutcome& outcome = tuning.outcomes[i];
    Json curves = Json::array();
    for (const Curve& curve : outcome.curves) {
      Json points = Json::array();
      for (const CurvePoint& point : curve) points.push_back(to_json(point));
      curves.push_back(std::move(points));
    }
    candidates.push_back({{"name", choice.candidates[i].name},
                          {"is_default", choice.candidates[i].is_default},
                          {"epoch_s", choice.candidates[i].epoch_s},
                          {"fate", fate_of(outcome)},
                          {"rehearsed_s", outcome.until_s},
                          {"mean", outcome.mean ? Json(*outcome.mean) : Json()},
                          {"deviation", outcome.deviation},
                          {"curves", std::move(curves)}});
  }
  Json front = Json::array();
  for (const FrontPoint& point : tuning.front) {
    front.push_back({{"candidate", choice.candidates[point.candidate].name},
                     {"seconds", point.seconds},
                     {"accuracy", point.accuracy}});
  }
  const TuningGoal& goal = plan.goal;
  return {
      {"schema", "epochcast.tuning/1"},
      {"target_accuracy", goal.target_accuracy ? Json(*goal.target_accuracy) : Json()},
      {"most_s", goal.most_s},
      {"seeds", plan.seeds},
      {"best", tuning.best ? Json(choice.candidates[*tuning.best].name) : Json()},
      {"runner_up", tuning.runner_up ? Json(choice.candidates[*tuning.runner_up].name) : Json()},
      {"confidence", tuning.confidence},
      {"candidates", std::move(candidates)},
      {"front", std::move(front)},
      {"rehearsed_s", tuning.rehearsed_s},
      {"exhaustive_s", tuning.exhaustive_s},
      {"provenance", {{"program", "epochcast " EPOCHCAST_VERSION}, {"command", command}}}};
}

/// Rehearses candidates with every seed.
class Rehearsals {
 public:
  Rehearsals(const Choice& choice, const TuningPlan& plan, RehearsalPlace place)
      : choice_(choice), plan_(plan), place_(std::move(place)) {}

  std::vector<std::vector<Curve>> operator()(const std::vector<std::size_t>& candidates,
                                             double until_s) {
    std::vector<RehearsalTask> tasks;
    for (const std::size_t index : candidates) {
      for (int seed = 0; seed < plan_.seeds; ++seed) {
        tasks.push_back({.config = choice_.configs[index],
                         .point = choice_.candidates[index].name,
                         .stop_after_s = until_s,
                         .stop_at_accuracy = plan_.goal.target_accuracy});
        tasks.back().config.seed += static_cast<std::uint64_t>(seed);
      }
    }
    const std::string what = "rung " + std::to_string(++rung_) + ": " +
                             std::to_string(candidates.size()) + " settings x " +
                             std::to_string(plan_.seeds) + " seeds to " + format_seconds(until_s);
    ProgressBar progress(std::cerr, isatty(STDERR_FILENO) != 0, what, 1);
    const std::vector<RehearsalOutcome> outcomes = rehearse_all(
        tasks, place_, Catalog::standard(), [&](double share) { progress.update(share); });
    std::vector<std::vector<Curve>> curves(candidates.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const RehearsalOutcome& outcome = outcomes[i];
      if (outcome.is_bad_input) throw UserError(outcome.problems);
      const bool has_diverged = !outcome.problems.empty() &&
                                outcome.problems.front().find("the loss is ") != std::string::npos;
      if (!outcome.problems.empty() && !has_diverged) throw RunError(outcome.problems.front());
      if (outcome.run) workers_ = outcome.run->workers;
      curves[i / static_cast<std::size_t>(plan_.seeds)].push_back(has_diverged ? Curve()
                                                                               : outcome.curve);
    }
    return curves;
  }

  [[nodiscard]] int workers() const { return workers_; }

 private:
  const Choice& choice_;
  const TuningPlan& plan_;
  RehearsalPlace place_;
  int rung_ = 0;
  int workers_ = 1;
};

}  // namespace

int run_tune(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::rehearse))
      .add(own_options())
      .add(rehearsal_place_options())
      .add(common_options());
  const po::variables_map values = parse_flags("tune", arguments, options);
  if (values.count("help") > 0) {
    std::cout
        << "epochcast tune: the averaging period K', the local steps H, or other settings "
           "that reach an accuracy first\n\n"
        << options
        << "\nExample: epochcast tune --platform server-2cpu-8gpu --network resnet20 --dataset "
           "cifar10 --data procedural\n  --train-samples 4096 --test-samples 500 --batch 32 "
           "--epochs 8 --strategy local-sgd --target-accuracy 50%\n";
    return 0;
  }
  const Format format = format_from(values);
  if (format == Format::csv) throw UserError("--format: tune writes table or json");
  const JobConfig config = config_from(Command::rehearse, values);
  static_cast<void>(find_strategy(config.strategy));
  TuningPlan plan;
  plan.goal.target_accuracy = accuracy_from(values, "target-accuracy");
  const std::optional<double> budget_s = seconds_from(values, "time-budget");
  if (plan.goal.target_accuracy.has_value() == budget_s.has_value())
    throw UserError("expected one of --target-accuracy and --time-budget");
  try {
    plan.seeds = parse_small_count(values["seeds"].as<std::string>(), 1);
  } catch (const UserError& error) {
    throw UserError(std::string("--seeds: ") + error.what());
  }
  if (config.learning.data.empty()) {
    throw UserError(
        "--data: missing; expected a folder, or \"procedural\" for samples that are computed");
  }
  const Choice choice = choice_of(space_of(values, config), config);
  if (choice.candidates.size() < 2)
    throw UserError("there is one setting to choose from: " + choice.candidates.front().name);
  double fastest_s = choice.candidates.front().epoch_s;
  for (const Candidate& candidate : choice.candidates)
    fastest_s = std::min(fastest_s, candidate.epoch_s);
  plan.goal.most_s = budget_s.value_or(fastest_s * static_cast<double>(config.epochs));
  Rehearsals rehearsals(choice, plan, rehearsal_place_from(values, config));
  const Tuning tuning = tune(choice.candidates, plan, std::ref(rehearsals));
  std::vector<std::string> words = {"epochcast", "tune"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string command = shell_text(words);
  if (format == Format::json) {
    std::cout << json_of(choice, tuning, plan, command).dump(2) << '\n';
  } else {
    show_candidates(choice, tuning, plan.goal);
    if (!tuning.front.empty()) show_front(choice, tuning);
    show_recommendation(choice, tuning, plan, rehearsals.workers());
    std::cout << "Rehearsed " << format_seconds(tuning.rehearsed_s)
              << " of the cluster's time; all "
              << "settings to the end would have been " << format_seconds(tuning.exhaustive_s)
              << ".\n";
  }
  if (const std::string file = file_from(values, "html"); !file.empty()) {
    std::vector<NamedCurve> curves;
    for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
      for (const Curve& curve : tuning.outcomes[i].curves)
        curves.push_back(
            {choice.candidates[i].name + ", seed " +
                 std::to_string(config.seed + static_cast<std::uint64_t>(
                                                  &curve - tuning.outcomes[i].curves.data())),
             curve});
    }
    std::ofstream out(file);
    out << curve_html(curves, "Tuning " + config.strategy, command, plan.goal.target_accuracy);
    out.close();
    if (!out) throw RunError(file + ": cannot be written");
  }
  return tuning.best ? 0 : 1;
}

}  // namespace epochcast
