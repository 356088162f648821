// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/show_forecasts.hpp"
#include "core/error.hpp"
#include "core/job_config.hpp"
#include "core/json_input.hpp"
#include "core/suggest.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

/// Settings with two values need no value on the command line: `--deterministic` is
/// `--deterministic on`.
bool is_switch(const Setting& setting) { return setting.value_name == "on|off"; }

po::options_description setting_options() {
  po::options_description options(
      "What to forecast (each is also a key of an experiment file)", 110, 60);
  for (const Setting& setting : settings()) {
    auto* value = po::value<std::string>()->value_name(std::string(setting.value_name));
    if (is_switch(setting)) value->implicit_value("on");
    options.add_options()(
        std::string(setting.name).c_str(), value, std::string(setting.help).c_str());
  }
  return options;
}

po::options_description own_options() {
  po::options_description options("How", 110, 60);
  options.add_options()("experiment",
                        po::value<std::string>()->value_name("FILE"),
                        "settings from a JSON file; flags override it")(
      "set",
      po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
      "one setting; overrides the experiment file")(
      "sweep",
      po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
      "forecast every value of a setting; several sweeps multiply (use ; between values that "
      "contain commas)")(
      "format",
      po::value<std::string>()->default_value("table")->value_name("table|json|csv"),
      "of the result on stdout")(
      "timeline",
      po::value<std::string>()->value_name("FILE"),
      "write what every worker does as Chrome trace JSON (one strategy, no sweep)")("help,h",
                                                                                    "this text");
  return options;
}

/// Boost's errors in our words.
po::variables_map parse(const std::vector<std::string>& arguments,
                        const po::options_description& options) {
  std::vector<std::string> known;
  for (const auto& option : options.options()) known.push_back("--" + option->long_name());
  try {
    po::variables_map values;
    const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(options).style(style).positional({}).run(),
              values);
    return values;
  } catch (const po::unknown_option& error) {
    throw UserError(unknown_name("option", error.get_option_name(), known));
  } catch (const po::too_many_positional_options_error&) {
    throw UserError(
        "simulate takes options only, each with two dashes; `epochcast simulate --help` lists "
        "them");
  } catch (const po::multiple_occurrences& error) {
    throw UserError(error.get_option_name() + ": given more than once");
  } catch (const po::invalid_command_line_syntax& error) {
    if (error.kind() != po::invalid_syntax::missing_parameter) throw UserError(error.what());
    throw UserError(error.get_option_name() + ": its value is missing");
  } catch (const po::error& error) {
    throw UserError(error.what());
  }
}

JobConfig config_from(const po::variables_map& values) {
  JobConfig config;
  if (values.count("experiment") > 0) {
    const auto file = values["experiment"].as<std::string>();
    if (file.empty()) throw UserError("--experiment: got \"\"; expected the name of a file");
    apply_experiment(config, read_json_file(file), file);
  }
  std::vector<std::string> problems;
  const auto apply =
      [&](std::string_view name, const std::string& value, const std::string& origin) {
        try {
          set_setting(config, name, value, origin);
        } catch (const UserError& error) {
          problems.emplace_back(error.what());
        }
      };
  for (const Setting& setting : settings()) {
    const std::string name(setting.name);
    if (values.count(name) > 0) apply(name, values[name].as<std::string>(), "--" + name);
  }
  if (values.count("set") > 0) {
    for (const std::string& assignment : values["set"].as<std::vector<std::string>>()) {
      const std::size_t equals = assignment.find('=');
      if (equals == std::string::npos || equals == 0) {
        problems.push_back("--set: got \"" + assignment +
                           "\"; expected a setting and its value, such as batch=64");
        continue;
      }
      apply(assignment.substr(0, equals),
            assignment.substr(equals + 1),
            "--set " + assignment.substr(0, equals));
    }
  }
  if (!problems.empty()) throw UserError(problems);
  return config;
}

/// The command as a shell would take it again.
std::string command_line(const std::vector<std::string>& arguments) {
  std::string text = "epochcast simulate";
  for (const std::string& argument : arguments) {
    const bool is_plain = !argument.empty() &&
                          argument.find_first_of(" \t\n;|&<>()[]{}$`\"'*?!#~\\") == argument.npos;
    if (is_plain) {
      text += " " + argument;
      continue;
    }
    text += " '";
    for (const char c : argument) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += "'";
  }
  return text;
}

/// 0 when something was forecast. That a strategy does not apply is an error unless all were asked
/// for.
int exit_status(const std::vector<ForecastOutcome>& outcomes) {
  std::vector<std::string> problems;
  bool has_run = false;
  bool has_died = false;
  bool was_named = false;
  for (const ForecastOutcome& outcome : outcomes) {
    has_run = has_run || outcome.run.has_value();
    has_died = has_died || outcome.has_died;
    if (outcome.run) continue;
    was_named = was_named || outcome.task.config.strategy != "all";
    for (const std::string& problem : outcome.problems) {
      if (std::find(problems.begin(), problems.end(), problem) == problems.end())
        problems.push_back(problem);
    }
  }
  if (has_died) throw RunError(problems.front());
  if (!problems.empty() && (!has_run || was_named)) throw UserError(problems);
  return 0;
}

}  // namespace

int run_simulate(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options()).add(own_options());
  const po::variables_map values = parse(arguments, options);
  if (values.count("help") > 0) {
    std::cout << "epochcast simulate: forecast epoch times with SimGrid\n\n"
              << options
              << "\nExample: epochcast simulate --platform deep-est-esb --nodes 12 --network "
                 "resnet50 --dataset cifar10\n";
    return 0;
  }
  const auto format = values["format"].as<std::string>();
  if (format != "table" && format != "json" && format != "csv") {
    throw UserError("--format: " + unknown_name("format", format, {"table", "json", "csv"}));
  }
  std::vector<SweepAxis> axes;
  if (values.count("sweep") > 0) {
    for (const std::string& text : values["sweep"].as<std::vector<std::string>>())
      axes.push_back(parse_axis(text));
  }
  const JobConfig config = config_from(values);
  const std::vector<ForecastTask> tasks = expand(config, axes);
  std::string timeline;
  if (values.count("timeline") > 0) {
    timeline = values["timeline"].as<std::string>();
    if (timeline.empty()) throw UserError("--timeline: got \"\"; expected the name of a file");
    if (tasks.size() != 1) {
      throw UserError("--timeline: " + std::to_string(tasks.size()) +
                      " runs were asked for; expected one --strategy and no --sweep");
    }
  }
  std::vector<ForecastOutcome> outcomes;
  {
    Progress progress(std::cerr, isatty(STDERR_FILENO) != 0, "forecasting", tasks.size());
    outcomes = forecast_all(
        tasks, Catalog::standard(), timeline, [&](std::size_t done) { progress.update(done); });
  }
  const int status = exit_status(outcomes);
  if (format == "json") {
    show_json(std::cout, outcomes, command_line(arguments));
  } else if (format == "csv") {
    show_csv(std::cout, outcomes);
  } else {
    show_table(std::cout, outcomes);
  }
  return status;
}

}  // namespace epochcast
