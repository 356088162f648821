// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "base/text/units.hpp"
#include "cli/show/show_rehearsals.hpp"
#include "cli/show/table.hpp"

namespace epochcast {
namespace {

/// "12.3 s" or, with an interval, "12.3 s ± 0.4 s".
template <typename Format>
std::string mean_text(const std::optional<SeededMean>& mean, const Format& format) {
  if (!mean) return "-";
  std::string text = format(mean->mean);
  if (mean->interval) text += " ± " + format((*mean->interval)[1] - mean->mean);
  return text;
}

bool any_has(const Choice& choice, std::optional<SeededMean> RankedOption::*figure) {
  return std::ranges::any_of(choice.ranked,
                             [&](const RankedOption& one) { return (one.*figure).has_value(); });
}

std::string quoted(std::string text) {
  std::ranges::replace(text, '"', '\'');
  return '"' + text + '"';
}

}  // namespace

void show_choice(const std::vector<ChoiceOption>& options,
                 const Choice& choice,
                 const LearningTarget& target,
                 ChoiceGoal goal,
                 const TableLook& look) {
  const bool has_clusters = std::ranges::any_of(
      options, [&](const ChoiceOption& one) { return one.cluster != options.front().cluster; });
  const bool has_cost = any_has(choice, &RankedOption::cost);
  const bool has_energy = any_has(choice, &RankedOption::joules);
  const bool has_front =
      has_cost && std::ranges::count_if(choice.ranked, &RankedOption::is_on_front) > 1;
  Table table;
  table.add_column("job");
  if (has_clusters) table.add_column("cluster");
  table.add_column("time to " + target.text(), Table::Align::right);
  if (has_cost) table.add_column("cost", Table::Align::right);
  if (has_energy) table.add_column("energy", Table::Align::right);
  table.add_column("samples", Table::Align::right);
  table.add_column("seeds", Table::Align::right);
  if (has_front) table.add_column("front");
  table.add_column("curves");
  for (const RankedOption& one : choice.ranked) {
    const ChoiceOption& option = options[one.option];
    std::vector<std::string> cells = {option.job};
    if (has_clusters) cells.push_back(option.cluster);
    cells.push_back(one.seconds ? mean_text(one.seconds, format_seconds) : "not reached");
    if (has_cost)
      cells.push_back(mean_text(one.cost, [&](double amount) {
        return format_money(amount, option.learned.running.price->currency);
      }));
    if (has_energy) cells.push_back(mean_text(one.joules, format_energy));
    cells.push_back(mean_text(one.samples, samples_text));
    cells.push_back(fmt::format("{} of {}", one.reached, option.learned.curves.size()));
    if (has_front) cells.emplace_back(one.is_on_front ? "yes" : "");
    cells.push_back(option.origin);
    table.add_row(std::move(cells));
  }
  table.print_whole(std::cout, look);
  std::cout << '\n' << answer_text(options, choice, target, goal) << '\n';
  if (has_front) std::cout << "Front: no other is as fast and as cheap.\n";
  std::cout << "Time is that of the simulated cluster, without start-up and tests; learning was "
               "real. ± is half of the 95 % interval over seeds.\n";
}

void show_choice_csv(const std::vector<ChoiceOption>& options, const Choice& choice) {
  std::cout << "job,cluster,seeds,seeds_at_target,target_s,target_samples,target_cost,currency,"
               "target_energy_j,on_front,may_be_first,origin\n";
  const auto number = [](const std::optional<SeededMean>& mean) {
    return mean ? fmt::format("{}", mean->mean) : std::string();
  };
  for (const RankedOption& one : choice.ranked) {
    const ChoiceOption& option = options[one.option];
    std::cout << quoted(option.job) << ',' << quoted(option.cluster) << ','
              << option.learned.curves.size() << ',' << one.reached << ',' << number(one.seconds)
              << ',' << number(one.samples) << ',' << number(one.cost) << ','
              << (one.cost ? option.learned.running.price->currency : "") << ','
              << number(one.joules) << ',' << one.is_on_front << ',' << one.may_be_first << ','
              << quoted(option.origin) << '\n';
  }
}

}  // namespace epochcast
