// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "core/source.hpp"
#include "strategies/learning.hpp"
#include "strategies/run_name.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

/// Empty if the run has no such setting.
const std::string& value_in(const RunResult& run, const std::string& setting) {
  static const std::string kNone;
  const auto found = std::find_if(
      run.config.begin(), run.config.end(), [&](const auto& each) { return each.name == setting; });
  return found == run.config.end() ? kNone : found->value;
}

/// The settings in which runs of one strategy differ on one side.
std::set<std::string> varying(const std::vector<RunResult>& runs, const std::string& strategy) {
  std::map<std::string, std::set<std::string>> values;
  for (const RunResult& run : runs) {
    if (run.strategy != strategy) continue;
    for (const SettingText& setting : run.config) values[setting.name].insert(setting.value);
  }
  std::set<std::string> names;
  for (const auto& [name, all] : values) {
    if (all.size() > 1) names.insert(name);
  }
  return names;
}

/// The settings that distinguish a run from others of its strategy: ", nodes 4". Those in
/// run_name() are left out if asked.
std::string differing_settings(const RunResult& run,
                               const ComparedSide& a,
                               const ComparedSide& b,
                               bool has_named) {
  std::set<std::string> names = varying(a.runs, run.strategy);
  names.merge(varying(b.runs, run.strategy));
  if (!has_named) {
    names.erase("overlap");
    if (const Period* period = find_strategy(run.strategy).period)
      names.erase(std::string(period->setting->name));
  }
  std::string text;
  for (const SettingText& setting : run.config) {
    if (names.contains(setting.name)) text += ", " + setting.name + " " + setting.value;
  }
  return text;
}

struct NamedRun {
  std::string name;   ///< among those of both sides
  std::string shown;  ///< the same with period and overlap
  const RunResult* run;
};

/// Runs by their distinguishing settings; identical ones, such as repetitions, by their number.
std::vector<NamedRun> named(const ComparedSide& side,
                            const ComparedSide& a,
                            const ComparedSide& b) {
  std::vector<NamedRun> all;
  std::map<std::string, int> seen;
  for (const RunResult& run : side.runs) {
    const std::string key = run.strategy + differing_settings(run, a, b, true);
    const int number = ++seen[key];
    const std::string repetition = number == 1 ? "" : ", run " + std::to_string(number);
    all.push_back({key + repetition,
                   run_name(run) + differing_settings(run, a, b, false) + repetition,
                   &run});
  }
  return all;
}

/// The run scaled to this number of samples.
ComparedRun for_samples(const RunResult& run, double samples) {
  const double times = samples / static_cast<double>(run.samples_per_epoch);
  ComparedRun compared;
  compared.time_s = times * run.epoch_s;
  compared.phases = times * run.phases;
  if (run.epoch_s_interval)
    compared.interval = Interval{.low_s = times * run.epoch_s_interval->low_s,
                                 .high_s = times * run.epoch_s_interval->high_s};
  compared.intra_node_bytes = times * run.intra_node_bytes;
  compared.inter_node_bytes = times * run.inter_node_bytes;
  if (run.cost) compared.cost = run.cost->rate.of(compared.time_s);
  if (run.energy) compared.energy_j = times * run.energy->epoch_j;
  return compared;
}

std::optional<double> change_of(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b || *a <= 0) return std::nullopt;
  return *b / *a - 1;
}

/// Settings in which the runs of pairs differ: those common to all pairs once, others with the
/// names of their runs.
std::vector<InputDifference> setting_differences(
    const std::vector<std::pair<NamedRun, const RunResult*>>& pairs) {
  struct Values {
    std::string a, b;
    auto operator<=>(const Values&) const = default;
  };
  std::vector<std::string> order;
  std::map<std::string, std::map<Values, std::vector<std::string>>> found;  // names of runs
  for (const auto& [a, b] : pairs) {
    std::set<std::string> seen;
    for (const RunResult* run : {a.run, b}) {
      for (const SettingText& setting : run->config) {
        if (!seen.insert(setting.name).second) continue;
        Values values = {value_in(*a.run, setting.name), value_in(*b, setting.name)};
        if (values.a == values.b) continue;
        if (!found.contains(setting.name)) order.push_back(setting.name);
        found[setting.name][values].push_back(a.name);
      }
    }
  }
  std::vector<InputDifference> differences;
  for (const std::string& name : order) {
    for (const auto& [values, runs] : found[name]) {
      std::string of;
      if (runs.size() < pairs.size()) {
        for (const std::string& run : runs) of += (of.empty() ? "" : "; ") + run;
      }
      differences.push_back({.name = name, .a = values.a, .b = values.b, .of = of});
    }
  }
  return differences;
}

/// The only currency; empty, with a note, if there are several; empty if there is none.
std::string currency_of(const ComparedSide& a,
                        const ComparedSide& b,
                        std::vector<std::string>& notes) {
  std::set<std::string> currencies;
  for (const ComparedSide* side : {&a, &b}) {
    for (const RunResult& run : side->runs) {
      if (run.cost) currencies.insert(run.cost->rate.currency);
    }
  }
  if (currencies.empty()) return {};
  if (currencies.size() == 1) return *currencies.begin();
  std::string list;
  for (const std::string& currency : currencies) list += (list.empty() ? "" : ", ") + currency;
  notes.push_back("costs are not compared: they are in several currencies (" + list + ")");
  return {};
}

/// Adds the warnings about a comparison of two runs, each once.
void add_notes(const RunResult& a, const RunResult& b, std::vector<std::string>& notes) {
  const auto note = [&](bool is_so, const std::string& text) {
    if (is_so && std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  };
  note(a.network != b.network,
       "A trains " + a.network + ", B " + b.network + ": these are not the same work");
  note(a.dataset != b.dataset || a.train_samples != b.train_samples,
       "A trains on " + std::to_string(a.train_samples) + " samples (" + a.dataset + "), B on " +
           std::to_string(b.train_samples) + " (" + b.dataset +
           "): compared is what as many samples as A has take");
  note(a.epochs != b.epochs,
       "epochs of the job: " + std::to_string(a.epochs) + " in A, " + std::to_string(b.epochs) +
           " in B; compared is one epoch");
}

/// "batch 128 per worker, bfloat16, inputs estimated": common to all runs, with their lowest grade.
/// Empty without runs.
std::string held_for_all(const std::vector<RunResult>& runs) {
  if (runs.empty()) return {};
  Grade grade = runs.front().input_grade;
  std::vector<const RunResult*> all;
  for (const RunResult& run : runs) {
    grade = lowest(grade, run.input_grade);
    all.push_back(&run);
  }
  return held_for(all) + ", inputs " + std::string(to_string(grade));
}

}  // namespace

std::optional<bool> ComparedPair::is_significant(double of_a, double of_b) const {
  if (!a.interval && !b.interval) return std::nullopt;
  const auto allows = [](const ComparedRun& run, double value, double other) {
    return !run.interval || (other >= value * run.interval->low_s / run.time_s &&
                             other <= value * run.interval->high_s / run.time_s);
  };
  return !(allows(a, of_a, of_b) && allows(b, of_b, of_a));
}

std::optional<double> ComparedPair::costlier() const { return change_of(a.cost, b.cost); }
std::optional<double> ComparedPair::more_energy() const {
  return change_of(a.energy_j, b.energy_j);
}
std::optional<double> ComparedPair::more_bytes() const {
  if (a.bytes() == 0 && b.bytes() == 0) return 0;
  return change_of(a.bytes(), b.bytes());
}

std::string ComparedPair::largest_part() const {
  const PhaseTimes change = b.phases - a.phases;
  const double difference_s = b.time_s - a.time_s;
  std::string largest;
  if (std::abs(difference_s) < kRoundingOfTimes * a.time_s) return largest;
  double most_s = 0;
  for (const auto& [part, part_s] : {std::pair("compute", change.compute_s),
                                     std::pair("exchange", change.exposed_communication_s),
                                     std::pair("blocked", change.blocked_s)}) {
    const double share_s = difference_s < 0 ? -part_s : part_s;  // towards the difference
    if (share_s <= most_s) continue;
    largest = part;
    most_s = share_s;
  }
  return largest;
}

Comparison compare(const ComparedSide& a, const ComparedSide& b) {
  Comparison comparison = {.a = a.name, .b = b.name};
  comparison.a_holds_for = held_for_all(a.runs);
  comparison.b_holds_for = held_for_all(b.runs);
  const std::vector<NamedRun> of_a = named(a, a, b);
  std::vector<NamedRun> of_b = named(b, a, b);
  std::vector<std::pair<NamedRun, const RunResult*>> pairs;
  comparison.currency = currency_of(a, b, comparison.notes);
  for (const NamedRun& run : of_a) {
    const auto same = std::find_if(
        of_b.begin(), of_b.end(), [&](const NamedRun& other) { return other.name == run.name; });
    if (same == of_b.end()) {
      comparison.only_a.push_back(run.name);
      continue;
    }
    const auto samples = static_cast<double>(run.run->train_samples);
    const bool is_to_target = run.run->target_samples && same->run->target_samples;
    ComparedPair pair = {
        .name = run.name,
        .shown = run.shown + (run.shown == same->shown ? "" : " -> " + same->shown),
        .not_ranked = why_not_ranked(*run.run),
        .a = for_samples(*run.run, is_to_target ? *run.run->target_samples : samples),
        .b = for_samples(*same->run, is_to_target ? *same->run->target_samples : samples)};
    pair.is_to_target = is_to_target;
    if (is_to_target) pair.shown += ", to " + setting_of(*run.run, "target");
    if (pair.not_ranked.empty()) pair.not_ranked = why_not_ranked(*same->run);
    if (comparison.currency.empty()) {
      pair.a.cost.reset();
      pair.b.cost.reset();
    }
    comparison.pairs.push_back(pair);
    add_notes(*run.run, *same->run, comparison.notes);
    pairs.emplace_back(run, same->run);
    of_b.erase(same);
  }
  for (const NamedRun& run : of_b) comparison.only_b.push_back(run.name);
  for (const std::string& problem : a.not_forecast)
    comparison.notes.push_back("not in A: " + problem);
  for (const std::string& problem : b.not_forecast)
    comparison.notes.push_back("not in B: " + problem);
  if (pairs.empty()) {
    const auto list = [](const std::vector<std::string>& names) {
      std::string text;
      for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
      return text;
    };
    throw UserError("nothing is in both: A (" + a.name + ") has " + list(comparison.only_a) +
                    ", B (" + b.name + ") has " + list(comparison.only_b));
  }
  std::stable_sort(comparison.pairs.begin(),
                   comparison.pairs.end(),
                   [](const ComparedPair& one, const ComparedPair& other) {
                     if (one.not_ranked.empty() != other.not_ranked.empty())
                       return one.not_ranked.empty();
                     return std::abs(std::log1p(one.slower())) >
                            std::abs(std::log1p(other.slower()));
                   });
  comparison.settings = setting_differences(pairs);
  if (a.platform && b.platform) comparison.figures = figure_differences(*a.platform, *b.platform);
  return comparison;
}

}  // namespace epochcast
