// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_found.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/statistics/spread.hpp"
#include "base/text/shell_text.hpp"
#include "cli/show/csv_row.hpp"
#include "cli/show/remarks.hpp"
#include "cli/show/table.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/learning.hpp"
#include "strategies/run_name.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

/// "exposed", or "vs sync" for a comparison with another strategy.
std::string title_of(const Condition& condition) {
  return condition.baseline.empty() ? std::string(condition.quantity->name)
                                    : "vs " + condition.baseline;
}

/// The titles of all conditions, each once.
std::vector<std::string> titles_of(const FindRequest& request) {
  std::vector<std::string> titles;
  for (const Condition& condition : request.conditions) {
    const std::string title = title_of(condition);
    if (std::find(titles.begin(), titles.end(), title) == titles.end()) titles.push_back(title);
  }
  return titles;
}

/// The figure of this title in a value's forecast; empty if absent.
std::string figure_text_of(const FoundValue& answer,
                           const TriedValue& tried,
                           const std::string& title) {
  for (std::size_t i = 0; i < answer.conditions.size(); ++i) {
    const Condition& condition = *answer.conditions[i];
    if (title_of(condition) == title && tried.figures[i])
      return condition.value_text(*tried.figures[i]);
  }
  return {};
}

/// "exposed 12.3 %, blocked 1.0 %", or the reason for no forecast.
std::string figures_text(const FoundValue& answer, const TriedValue& tried) {
  if (!tried.problems.empty()) return tried.problems.front();
  std::string text;
  std::set<std::string> titles;
  for (std::size_t i = 0; i < answer.conditions.size(); ++i) {
    if (!tried.figures[i]) continue;
    const Condition& condition = *answer.conditions[i];
    const std::string title = title_of(condition);
    if (!titles.insert(title).second) continue;  // two bounds of one quantity
    text += (text.empty() ? "" : ", ") + title + " " + condition.value_text(*tried.figures[i]);
  }
  return text;
}

std::string bounds_text(const std::vector<std::string>& bounds) {
  const auto shown = [](const std::string& bound) { return bound.empty() ? "none" : bound; };
  return shown(bounds[0]) + " .. " + shown(bounds[1]);
}

/// Whether even the closest value has no forecast.
bool is_impossible(const FoundValue& answer) {
  return !answer.found && answer.best && !answer.best->problems.empty();
}

/// "24.1Gbps"; "100Mbps or less" at the begin of the range.
std::string found_text(const FindRequest& request, const FoundValue& answer) {
  if (!answer.found) return is_impossible(answer) ? "impossible" : "none";
  if (answer.before) return answer.found->text;
  const bool is_least_count = answer.found->value == 1 && !request.wants_largest;
  return answer.found->text + (is_least_count          ? ""
                               : request.wants_largest ? " or more"
                                                       : " or less");
}

/// "sync, overlap".
std::string kind_of(const FoundValue& answer) {
  const bool overlaps = answer.overlaps && find_strategy(answer.strategy).exchanges_gradients;
  return answer.strategy + (overlaps ? ", overlap" : "");
}

/// "node-based, K' 625"; without the period if there is no run.
std::string name_of(const FoundValue& answer) {
  return answer.found && answer.found->run ? run_name(*answer.found->run) : kind_of(answer);
}

/// Whether the answer's strategy is known to learn like sync.
bool is_ranked(const FoundValue& answer) {
  const auto& tried = answer.found ? answer.found : answer.best;
  return !tried || !tried->run || is_ranked(*tried->run);
}

/// A note if the answer's period is the default, an epoch. Empty otherwise.
std::string period_text(const FoundValue& answer) {
  const Period* period = find_strategy(answer.strategy).period;
  const bool is_epoch = period != nullptr && period->usual == 0;
  if (!is_epoch || !answer.found || period->value(answer.found->config)) return {};
  return "the answer holds for " + std::string(period->symbol) + " = an epoch, the default of --" +
         std::string(period->setting->name) + ", alone";
}

/// The limiting phases of a value's epoch.
std::string limits_text(const RunResult& run) {
  const double total_s = std::max(run.phases.total_s(), 1e-300);
  return "an epoch there computes " + format_percent(run.phases.compute_s / total_s, 1) +
         ", exchanges " + format_percent(run.phases.exposed_communication_s / total_s, 1) +
         " and is blocked " + format_percent(run.phases.blocked_s / total_s, 1) + " of its time";
}

/// The reason for having found no value; empty if one was found.
std::string why_none(const FoundValue& answer) {
  if (is_impossible(answer)) return "unknown: " + answer.best->problems.front();
  if (answer.found || !answer.best) return {};
  return "no value meets the conditions; closest: " + answer.best->text + ": " +
         figures_text(answer, *answer.best);
}

std::vector<std::string> remarks_of(const FoundValue& answer) {
  std::vector<std::string> remarks;
  if (const std::string reason = why_none(answer); !reason.empty()) remarks.push_back(reason);
  if (!answer.found && !is_impossible(answer) && answer.best && answer.best->run)
    remarks.push_back(limits_text(*answer.best->run));
  if (!answer.is_monotone)
    remarks.push_back("not all values were tried (" + std::to_string(answer.looked) +
                      " were): others may meet the conditions, too");
  if (answer.found && answer.found->run) {
    for (const std::string& note : answer.found->run->notes) remarks.push_back(note);
    if (!is_ranked(*answer.found->run)) remarks.push_back(why_not_ranked(*answer.found->run));
  }
  if (const std::string text = period_text(answer); !text.empty()) remarks.push_back(text);
  return remarks;
}

/// Each remark once, with its answers.
void show_remarks(std::ostream& out, const std::vector<FoundValue>& answers) {
  Remarks remarks;
  for (const FoundValue& answer : answers) {
    const std::string point = point_text(answer.point);
    remarks.expect(kind_of(answer), point);
    for (const std::string& remark : remarks_of(answer))
      remarks.add(remark, kind_of(answer), point);
  }
  if (!remarks.empty()) out << '\n';
  remarks.print(out);
}

void show_table(std::ostream& out,
                const FindRequest& request,
                const std::vector<FoundValue>& answers,
                const TableLook& look) {
  using enum Table::Align;
  const std::vector<std::string> titles = titles_of(request);
  const bool has_bounds = std::any_of(answers.begin(), answers.end(), [](const FoundValue& answer) {
    return answer.bounds.has_value();
  });
  out << (request.wants_largest ? "The largest " : "The smallest ") << request.name << " with ";
  for (std::size_t i = 0; i < request.conditions.size(); ++i)
    out << (i == 0 ? "" : " and ") << request.conditions[i].text;
  out << "\n\n";
  Table table;
  constexpr int kAlways = Table::kAlways;
  if (!request.over.empty())
    table.add_column({.title = request.over, .align = right, .importance = kAlways});
  table.add_column({.title = "strategy", .align = left, .importance = kAlways});
  table.add_column({.title = request.name, .align = right, .importance = kAlways});
  if (has_bounds) table.add_column({.title = "5 - 95 %", .align = right, .importance = 20});
  for (const std::string& title : titles)
    table.add_column({.title = title, .align = right, .importance = 30});
  table.add_column({.title = "just before", .align = left, .importance = 10});
  std::vector<const FoundValue*> rows;
  rows.reserve(answers.size());
  for (const FoundValue& answer : answers) rows.push_back(&answer);
  const auto others = std::stable_partition(
      rows.begin(), rows.end(), [](const FoundValue* answer) { return is_ranked(*answer); });
  for (auto each = rows.begin(); each != rows.end(); ++each) {
    const FoundValue& answer = **each;
    if (each == others && each != rows.begin()) table.add_heading(std::string(kNotRanked));
    std::vector<std::string> row;
    if (!request.over.empty()) row.push_back(answer.point.front().value);
    row.push_back(name_of(answer));
    row.push_back(found_text(request, answer));
    if (has_bounds) row.push_back(answer.bounds ? bounds_text(*answer.bounds) : "-");
    for (const std::string& title : titles)
      row.push_back(answer.found ? figure_text_of(answer, *answer.found, title) : "-");
    row.push_back(answer.before ? answer.before->text + ": " + figures_text(answer, *answer.before)
                                : "-");
    table.add_row(std::move(row));
  }
  table.print_whole(out, look);
  show_remarks(out, answers);
  const bool has_any = std::any_of(answers.begin(), answers.end(), [](const FoundValue& answer) {
    return answer.found.has_value();
  });
  if (has_any) out << "\nEach answer again:\n";
  for (const FoundValue& answer : answers) {
    if (answer.found) out << "  " << command_of(answer) << '\n';
  }
  if (has_any) {
    out << "\n  Answers hold for " << held_for(answers)
        << ", and the H, K' and overlap in their names.\n";
    if (const std::string compared = compared_with(answers); !compared.empty())
      out << "  They compare with " << compared << ".\n";
    out << "  " << kAccuracyIsElsewhere << '\n';
  }
  if (has_bounds)
    out << "\n  5 - 95 %: the same for epochs as short, and as long, as these quantiles of the "
           "forecast, whatever makes them so.\n";
}

void show_csv(std::ostream& out,
              const FindRequest& request,
              const std::vector<FoundValue>& answers) {
  out << "over,over_value,strategy,overlap,name,text,value,low,high,figures,before,before_figures,"
         "is_monotone,command,reason\n";
  for (const FoundValue& answer : answers) {
    const auto& bounds = answer.bounds;
    out << csv_row({request.over,
                    answer.point.empty() ? "" : answer.point.front().value,
                    answer.strategy,
                    answer.overlaps ? "bucket" : "none",
                    request.name,
                    answer.found ? answer.found->text : "",
                    answer.found ? shortest(answer.found->value) : "",
                    bounds ? (*bounds)[0] : "",
                    bounds ? (*bounds)[1] : "",
                    answer.found ? figures_text(answer, *answer.found) : "",
                    answer.before ? answer.before->text : "",
                    answer.before ? figures_text(answer, *answer.before) : "",
                    answer.is_monotone ? "yes" : "no",
                    command_of(answer),
                    why_none(answer)});
  }
}

}  // namespace

void show_found(std::ostream& out,
                Format format,
                const FindRequest& request,
                const std::vector<FoundValue>& answers,
                const TableLook& look,
                const std::string& command) {
  switch (format) {
    case Format::table:
      show_table(out, request, answers, look);
      break;
    case Format::json:
      out << to_json(request, answers, command).dump(2, ' ', false, Json::error_handler_t::replace)
          << '\n';
      break;
    case Format::csv:
      show_csv(out, request, answers);
      break;
  }
}

}  // namespace epochcast
