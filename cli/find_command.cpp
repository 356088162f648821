// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>

#include "analysis/find/find.hpp"
#include "analysis/forecast/scaling.hpp"
#include "base/error.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/show_found.hpp"
#include "cli/show/table_style.hpp"
#include "core/job/platform_figures.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;
using Texts = std::vector<std::string>;

po::options_description find_options() {
  po::options_description options;
  options.add_options()("name",
                        po::value<Texts>()->value_name("NAME[,NAME2]"),
                        "the setting or figure of the platform whose value is asked for; for each "
                        "value of a second one")(
      "where",
      po::value<Texts>()->value_name("CONDITION"),
      "condition on results, such as \"exposed < 10%\"; several must hold together")(
      "largest", po::bool_switch(), "search the largest value (default: the smallest)")(
      "between",
      po::value<Texts>()->value_name("NAME=A..B"),
      "range of the search (default: see docs/questions.md)")(
      "scaling",
      po::value<std::string>()->value_name("strong|weak"),
      "strong: workers share the global batch that one node has with --batch; weak (default): "
      "each keeps --batch");
  return options;
}

std::string quantities_text() {
  std::string text = "Conditions are about";
  for (const Quantity& quantity : quantities()) {
    text += (&quantity == &quantities().front() ? " " : "; ") + std::string(quantity.name) + " (" +
            std::string(quantity.help) + ")";
  }
  return text + "; or of two strategies, \"A faster than B by 2x\".";
}

/// All searchable names, except figures of a part of a platform.
Texts searched_names() {
  Texts names = general_figures();
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    try {
      static_cast<void>(searched_kind(std::string(setting.name)));
      names.emplace_back(setting.name);
    } catch (const UserError&) {  // not numeric
    }
  }
  return names;
}

Texts texts_of(const po::variables_map& values, const std::string& option) {
  return values.count(option) > 0 ? values[option].as<Texts>() : Texts();
}

/// "--strategy all" means the strategies of the conditions, if all conditions name some.
void choose_strategies(FindRequest& request) {
  if (request.config.strategy != "all") return;
  Texts named;
  for (const Condition& condition : request.conditions) {
    if (condition.strategy.empty()) return;
    if (std::find(named.begin(), named.end(), condition.strategy) == named.end())
      named.push_back(condition.strategy);
  }
  if (!named.empty()) request.config.strategy = joined(named);
}

FindRequest request_from(const po::variables_map& values) {
  FindRequest request;
  Texts names;
  for (const std::string& text : texts_of(values, "name")) {
    for (const std::string& name : split(text, ',')) names.push_back(name);
  }
  if (names.empty() || names.size() > 2 || names.front().empty() || names.back().empty())
    throw UserError("find: got " + std::to_string(names.size()) +
                    " names; expected one or two settings or figures of the platform, such as "
                    "network.bandwidth");
  request.name = names.front();
  if (names.size() > 1) request.over = names.back();
  for (const std::string& name : names) static_cast<void>(searched_kind(name));
  for (const std::string& text : texts_of(values, "where"))
    request.conditions.push_back(parse_condition(text));
  for (const std::string& text : texts_of(values, "between"))
    request.between.push_back(parse_range(text));
  request.wants_largest = values["largest"].as<bool>();
  if (values.count("scaling") > 0)
    request.scales_strongly = parse_scaling(values["scaling"].as<std::string>()) == Scaling::strong;
  request.config = config_from(Command::simulate, values);
  request.adds_overlapped_sync = true;
  choose_strategies(request);
  return request;
}

}  // namespace

CommandHelp find_help() {
  CommandHelp help = {
      .usage = "NAME[,NAME2] --where CONDITION [OPTIONS]",
      .about = quantities_text(),
      .groups = {help_group("The question", find_options())},
      .most_used = {"where",
                    "largest",
                    "between",
                    "scaling",
                    "strategy",
                    "platform",
                    "network",
                    "dataset",
                    "nodes",
                    "batch"},
      .examples = {"epochcast find network.bandwidth --where \"exposed < 10%\" --strategy "
                   "sync,local-sgd --platform deep-est-esb --nodes 16 --network resnet50 --dataset "
                   "imagenet"}};
  std::vector<OptionHelp>& asked = help.groups.front().options;
  const auto name = std::ranges::find(asked, "name", &OptionHelp::name);
  help.positional = *name;
  help.positional.words = searched_names();
  asked.erase(name);
  for (HelpGroup& group : setting_groups(Command::simulate))
    help.groups.push_back(std::move(group));
  help.groups.push_back(help_group("How", common_options().add(wide_option())));
  return help;
}

int run_find(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(find_options())
      .add(setting_options(Command::simulate))
      .add(common_options())
      .add(wide_option());
  const po::variables_map values = parse_flags("find", arguments, options, "name");
  const Format format = format_from(values);
  const FindRequest request = request_from(values);
  const Catalog catalog = Catalog::standard();
  SharedJobs jobs([&](const JobConfig& job) { return load_job(job, catalog); });
  const std::vector<FoundValue> answers = find(request, simulating(jobs));
  Texts command = {"epochcast", "find"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  show_found(std::cout, format, request, answers, look_from(values), shell_text(command));
  const bool has_any = std::any_of(answers.begin(), answers.end(), [](const FoundValue& answer) {
    return answer.found.has_value();
  });
  return has_any ? 0 : 1;
}

}  // namespace epochcast
