// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_tuning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json/or_null.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/units.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/table.hpp"
#include "results/schema.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;
using Fate = CandidateOutcome::Fate;

std::string objective(const Tuning& tuning,
                      const TuningGoal& goal,
                      const CandidateOutcome& outcome) {
  if (goal.target)
    return format_seconds(*outcome.mean) + " +- " + format_seconds(outcome.deviation);
  return metric_text(tuning.metric, *outcome.mean) + " +- " +
         metric_text(tuning.metric, outcome.deviation);
}

/// "perplexity " if a bare number would be ambiguous.
std::string metric_prefix(const Tuning& tuning, const TuningGoal& goal) {
  const bool is_clear = goal.target || tuning.metric == Metric::accuracy;
  return is_clear ? "" : std::string(to_string(tuning.metric)) + " ";
}

/// "reached with 1 of 2 seeds"
std::string reached_text(const CandidateOutcome& outcome) {
  if (outcome.seeds_there == 0) return "not reached";
  return "reached with " + std::to_string(outcome.seeds_there) + " of " +
         std::to_string(outcome.curves.size()) + " seeds";
}

/// "1.20 s, 2 seeds"
std::string rehearsed_text(const CandidateOutcome& outcome) {
  const std::size_t seeds = outcome.curves.size();
  if (seeds == 0) return "-";
  return format_seconds(outcome.rehearsed_s()) + ", " + std::to_string(seeds) +
         (seeds == 1 ? " seed" : " seeds");
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
      return "to the end";
  }
  return {};
}

/// The cost of a model at the target with a setting, and its energy in joules.
std::optional<double> model_cost(const Candidate& candidate, const CandidateOutcome& outcome) {
  if (!candidate.running.price || !outcome.mean) return std::nullopt;
  return candidate.running.price->of(*outcome.mean);
}
std::optional<double> model_j(const Candidate& candidate, const CandidateOutcome& outcome) {
  if (!candidate.running.power_w || !outcome.mean) return std::nullopt;
  return *candidate.running.power_w * *outcome.mean;
}

void show_candidates(const TuningChoice& choice,
                     const Tuning& tuning,
                     const TuningGoal& goal,
                     const TableLook& look) {
  Table table;
  using enum Table::Align;
  table.add_column({.title = "setting", .align = left, .importance = Table::kAlways});
  table.add_column({.title = "epoch", .align = right, .importance = 40});
  table.add_column({.title = "rehearsed", .align = right, .importance = 30});
  table.add_column({.title = goal.target ? "time to " + goal.target->text()
                                         : std::string(to_string(tuning.metric)) + " after " +
                                               format_seconds(goal.most_s),
                    .align = right,
                    .importance = Table::kAlways});
  const auto any_has = [&](const auto& figure) {
    bool has = false;
    for (std::size_t i = 0; goal.target && i < choice.candidates.size(); ++i)
      has = has || figure(choice.candidates[i], tuning.outcomes[i]).has_value();
    return has;
  };
  const bool has_cost = any_has(model_cost);
  const bool has_energy = any_has(model_j);
  if (has_cost) table.add_column({.title = "cost of a model", .align = right, .importance = 60});
  if (has_energy) table.add_column({.title = "energy of it", .align = right, .importance = 50});
  table.add_column({.title = "what became of it", .align = left, .importance = 70});
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const CandidateOutcome& outcome = tuning.outcomes[i];
    const Candidate& candidate = choice.candidates[i];
    std::vector<std::string> row = {candidate.name + (candidate.is_default ? " (default)" : ""),
                                    format_seconds(candidate.epoch_s),
                                    rehearsed_text(outcome),
                                    outcome.mean ? objective(tuning, goal, outcome) : "-"};
    const auto cost = model_cost(candidate, outcome);
    const auto energy_j = model_j(candidate, outcome);
    if (has_cost)
      row.push_back(cost ? format_money(*cost, candidate.running.price->currency) : "-");
    if (has_energy) row.push_back(energy_j ? format_energy(*energy_j) : "-");
    row.push_back(fate_of(outcome));
    table.add_row(std::move(row));
  }
  table.print_whole(std::cout, look);
}

void show_front(const TuningChoice& choice, const Tuning& tuning, const TableLook& look) {
  constexpr std::size_t kMost = 12;
  std::cout << "\nNothing is faster and has learned as much (means over seeds):\n";
  Table table;
  using enum Table::Align;
  table.add_column({.title = "after", .align = right, .importance = Table::kAlways});
  table.add_column({.title = "test " + std::string(to_string(tuning.metric)),
                    .align = right,
                    .importance = Table::kAlways});
  table.add_column({.title = "with", .align = left, .importance = Table::kAlways});
  const std::size_t count = tuning.front.size();
  for (std::size_t i = 0; i < count; ++i) {
    // Evenly thinned, always with the last one.
    const bool is_shown = count <= kMost || (i + 1) * kMost / count != i * kMost / count;
    if (!is_shown) continue;
    const FrontPoint& point = tuning.front[i];
    table.add_row({format_seconds(point.seconds),
                   metric_text(tuning.metric, point.value),
                   choice.candidates[point.candidate].name});
  }
  table.print_whole(std::cout, look);
}

/// The command for real training with these settings.
std::string train_command(const JobConfig& config, const RehearsedCluster& cluster) {
  std::vector<std::string> words = {"epochcast", "train"};
  JobConfig usual;
  usual.learning.optimizer.name = config.learning.optimizer.name;  // whose defaults depend on it
  for (const Setting& setting : all_settings().of(Command::train)) {
    const std::string value = setting.show(config);
    const bool is_needed = setting.name == "strategy" || value != setting.show(usual) ||
                           (setting.name == "optimizer" && value != setting.show({}));
    if (value.empty() || !is_needed || setting.name == "ranks") continue;
    words.push_back("--" + std::string(setting.name) + "=" + value);
  }
  words.push_back("--ranks=" + std::to_string(cluster.workers));
  if (cluster.nodes > 1 && cluster.workers % cluster.nodes == 0)
    words.push_back("--ranks-per-node=" + std::to_string(cluster.workers / cluster.nodes));
  return shell_text(words);
}

/// "56.1 % +- 1.2 % after 3 s", "545 ms +- 58 ms to accuracy 20.0 %"
std::string result_text(const Tuning& tuning,
                        const TuningGoal& goal,
                        const CandidateOutcome& outcome) {
  return metric_prefix(tuning, goal) + objective(tuning, goal, outcome) +
         (goal.target ? " to " + goal.target->text() : " after " + format_seconds(goal.most_s));
}

std::string spread_note(const TuningPlan& plan) {
  return " (mean and standard deviation over " + std::to_string(plan.seeds) + " seeds)";
}

std::string test_note(const TuningPlan& plan, const Tuning& tuning) {
  if (plan.seeds > 1) return "(paired t test over seeds)";
  return tuning.metric == Metric::accuracy ? "(one seed: Fisher's exact test of the test samples)"
                                           : "(one seed, whose loss cannot be tested)";
}

std::string nothing_learned_text(const TuningChoice& choice, const Tuning& tuning) {
  const ChanceTest& test = *tuning.chance;
  const Candidate& one = choice.candidates[test.candidate];
  const double chance = 1 / static_cast<double>(one.classes);
  return "Nothing was learned, and no setting is recommended: " + one.name + " classifies " +
         metric_text(Metric::accuracy, test.accuracy) + " of " + std::to_string(one.test_samples) +
         " test samples correctly, which is not significantly above the " +
         metric_text(Metric::accuracy, chance) + " of guessing among " +
         std::to_string(one.classes) + " classes " +
         fmt::format("(binomial test, p = {:.2g}).\n", test.p) +
         "  Train for longer, with more --train-samples or another --learning-rate.\n";
}

std::string not_reached_text(const Tuning& tuning, const TuningGoal& goal) {
  if (!goal.target) return "No setting is recommended: with each of them the loss diverged.\n";
  std::string best;
  if (!tuning.front.empty()) {
    const FrontPoint& last = tuning.front.back();
    const bool is_there = !is_better(tuning.metric, goal.target->value, last.value);
    best = " (the best mean over seeds was " + metric_text(tuning.metric, last.value) + ", after " +
           format_seconds(last.seconds) + (is_there ? "; not every seed was there" : "") + ")";
  }
  return "No setting reached " + goal.target->text() + " with every seed within " +
         format_seconds(goal.most_s) +
         " of the cluster's time. Raise --epochs, or ask for less: --target-" +
         std::string(to_string(tuning.metric)) + best + ".\n";
}

std::string no_difference_text(const TuningChoice& choice,
                               const Tuning& tuning,
                               const TuningPlan& plan) {
  const CandidateOutcome& best = tuning.outcomes[*tuning.best];
  std::string text = "No setting is recommended: there is nothing to choose between these.\n  " +
                     choice.candidates[*tuning.best].name + ": " +
                     result_text(tuning, plan.goal, best) + spread_note(plan) + '\n';
  for (const std::size_t index : tuning.tied) {
    const CandidateOutcome& other = tuning.outcomes[index];
    text += "  " + choice.candidates[index].name + ": " +
            (other.mean ? objective(tuning, plan.goal, other)
             : plan.goal.target
                 ? "target " + reached_text(other) + " after " + format_seconds(other.rehearsed_s())
                 : "given up after " + format_seconds(other.rehearsed_s())) +
            '\n';
  }
  return text + "  The first one is better than " + choice.candidates[*tuning.runner_up].name +
         " with a confidence of " + format_percent(*tuning.confidence, 1) + " only " +
         test_note(plan, tuning) + ", not " + format_percent(plan.confidence, 0) +
         ". More --seeds may show a difference.\n";
}

}  // namespace

std::string recommendation_text(const TuningChoice& choice,
                                const Tuning& tuning,
                                const TuningPlan& plan,
                                const RehearsedCluster& cluster) {
  const TuningGoal& goal = plan.goal;
  std::ostringstream out;
  switch (tuning.verdict) {
    case Verdict::nothing_learned:
      return nothing_learned_text(choice, tuning);
    case Verdict::not_reached:
      return not_reached_text(tuning, goal);
    case Verdict::no_difference:
      return no_difference_text(choice, tuning, plan);
    case Verdict::recommended:
      break;
  }
  const Candidate& best = choice.candidates[*tuning.best];
  const CandidateOutcome& outcome = tuning.outcomes[*tuning.best];
  out << "Recommended: " << best.name << " - " << result_text(tuning, goal, outcome)
      << spread_note(plan) << '\n';
  if (tuning.runner_up) {
    out << "  Better than " << choice.candidates[*tuning.runner_up].name << " with a confidence of "
        << format_percent(*tuning.confidence, 1) << ' ' << test_note(plan, tuning) << '\n';
  } else {
    out << "  No other one is left; the table has the reasons.\n";
  }
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    if (!choice.candidates[i].is_default || i == *tuning.best) continue;
    const CandidateOutcome& usual = tuning.outcomes[i];
    out << "  The default, " << choice.candidates[i].name << ": ";
    if (!usual.mean) {
      out << (usual.reason.empty() ? "see above" : "given up " + usual.reason);
    } else if (goal.target) {
      out << objective(tuning, goal, usual)
          << fmt::format(", {:.2f} times as long", *usual.mean / *outcome.mean);
    } else {
      out << objective(tuning, goal, usual);
    }
    out << '\n';
  }
  const JobConfig& config = choice.configs[*tuning.best];
  const double all_s = best.epoch_s * static_cast<double>(config.epochs);
  constexpr double kAlmost = 0.99;
  if (!goal.target && all_s < kAlmost * goal.most_s) {
    out << "  Its " << config.epochs << " epochs take " << format_seconds(all_s)
        << " only; raise --epochs to use all of the time.\n";
  }
  out << "  For real: " << train_command(choice.configs[*tuning.best], cluster) << '\n';
  return out.str();
}

void show_tuning(const TuningChoice& choice,
                 const Tuning& tuning,
                 const TuningPlan& plan,
                 const RehearsedCluster& cluster,
                 const TableLook& look) {
  show_candidates(choice, tuning, plan.goal, look);
  if (!tuning.front.empty()) show_front(choice, tuning, look);
  std::cout << '\n' << recommendation_text(choice, tuning, plan, cluster);
  std::cout << "Rehearsed " << format_seconds(tuning.rehearsed_s)
            << " of the cluster's time; all settings to the end would have been "
            << format_seconds(tuning.exhaustive_s) << ".\n";
}

Json tuning_json(const TuningChoice& choice,
                 const Tuning& tuning,
                 const TuningPlan& plan,
                 const std::string& command) {
  Json candidates = Json::array();
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const CandidateOutcome& outcome = tuning.outcomes[i];
    Json curves = Json::array();
    for (const Curve& curve : outcome.curves) curves.push_back(to_json(curve));
    candidates.push_back({{"name", choice.candidates[i].name},
                          {"is_default", choice.candidates[i].is_default},
                          {"epoch_s", choice.candidates[i].epoch_s},
                          {"fate", fate_of(outcome)},
                          {"rehearsed_s", outcome.rehearsed_s()},
                          {"stretch", or_null(outcome.stretch)},
                          {"mean", or_null(outcome.mean)},
                          {"deviation", outcome.deviation},
                          {"curves", std::move(curves)}});
    if (!plan.goal.target) continue;
    const auto put = [&](const char* key, const std::optional<double>& figure) {
      if (figure) candidates.back()[key] = *figure;
    };
    if (choice.candidates[i].running.price)
      candidates.back()["currency"] = choice.candidates[i].running.price->currency;
    put("model_cost", model_cost(choice.candidates[i], outcome));
    put("model_energy_j", model_j(choice.candidates[i], outcome));
  }
  Json front = Json::array();
  for (const FrontPoint& point : tuning.front) {
    front.push_back({{"candidate", choice.candidates[point.candidate].name},
                     {"seconds", point.seconds},
                     {std::string(to_string(tuning.metric)), point.value}});
  }
  Json tied = Json::array();
  for (const std::size_t index : tuning.tied) tied.push_back(choice.candidates[index].name);
  const TuningGoal& goal = plan.goal;
  const auto name_or_null = [&](const std::optional<std::size_t>& index) {
    return index ? Json(choice.candidates[*index].name) : Json();
  };
  return result_document(
      kTuningSchema,
      {{"metric", to_string(tuning.metric)},
       {"target", goal.target ? Json(goal.target->value) : Json()},
       {"most_s", goal.most_s},
       {"seeds", plan.seeds},
       {"verdict", to_string(tuning.verdict)},
       {"best", tuning.verdict == Verdict::recommended ? name_or_null(tuning.best) : Json()},
       {"ahead", name_or_null(tuning.best)},
       {"tied", std::move(tied)},
       {"chance_p", tuning.chance ? Json(tuning.chance->p) : Json()},
       {"runner_up", name_or_null(tuning.runner_up)},
       {"confidence", or_null(tuning.confidence)},
       {"candidates", std::move(candidates)},
       {"front", std::move(front)},
       {"rehearsed_s", tuning.rehearsed_s},
       {"exhaustive_s", tuning.exhaustive_s}},
      {.command = command});
}

}  // namespace epochcast
